"""RMS normalisation: one program per row, two passes over it in blocks."""

import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x, weight, eps, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        total += v * v
    scale = 1.0 / tl.sqrt(tl.sum(total) / cols + eps)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        w = tl.load(weight + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y + row * cols + c, (v * scale * w).to(y.dtype.element_ty), mask=c < cols)


def launch(x, weight, eps, y, rows, cols):
    block = min(triton.next_power_of_2(cols), 1024)
    rmsnorm_kernel[(rows,)](x, weight, eps, y, cols, BLOCK=block)
