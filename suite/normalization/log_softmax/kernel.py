"""Log-softmax: one program per row; maximum, sum of exponentials, then the differences, in blocks."""

import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        top = tl.maximum(top, tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32))
    peak = tl.max(top, axis=0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        total += tl.exp(v - peak)
    log_sum = tl.log(tl.sum(total, axis=0))
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y + row * cols + c, (v - peak - log_sum).to(y.dtype.element_ty), mask=c < cols)


def launch(x, y, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    log_softmax_kernel[(rows,)](x, y, cols, BLOCK=block)
