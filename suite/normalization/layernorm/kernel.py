"""Layer normalisation: one program per row; mean, then variance, then the result, in blocks."""

import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x, weight, bias, eps, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        total += tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
    mean = tl.sum(total) / cols
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        d = tl.where(c < cols, v - mean, 0.0)
        squares += d * d
    scale = 1.0 / tl.sqrt(tl.sum(squares) / cols + eps)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        w = tl.load(weight + c, mask=c < cols, other=0.0).to(tl.float32)
        b = tl.load(bias + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y + row * cols + c, ((v - mean) * scale * w + b).to(y.dtype.element_ty), mask=c < cols)


def launch(x, weight, bias, eps, y, rows, cols):
    block = min(triton.next_power_of_2(cols), 1024)
    layernorm_kernel[(rows,)](x, weight, bias, eps, y, cols, BLOCK=block)
