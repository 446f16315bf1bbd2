"""Row-wise variance: one program per row; the mean first, then the squared differences from it, in blocks."""

import triton
import triton.language as tl


@triton.jit
def row_variance_kernel(x, variance, mean, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        total += tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
    m = tl.sum(total, axis=0) / cols
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        d = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32) - m
        squares += tl.where(c < cols, d * d, 0.0)
    tl.store(mean + row, m)
    tl.store(variance + row, tl.sum(squares, axis=0) / (cols - 1))


def launch(x, variance, mean, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    row_variance_kernel[(rows,)](x, variance, mean, cols, BLOCK=block)
