"""Row-wise minimum and maximum: one program per row, both reductions in one pass over it."""

import triton
import triton.language as tl


@triton.jit
def minmax_kernel(x, low, high, width, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    lows = tl.full((BLOCK,), float("inf"), tl.float32)
    highs = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        lows = tl.where(c < cols, tl.minimum(lows, v), lows)
        highs = tl.where(c < cols, tl.maximum(highs, v), highs)
    lo = tl.min(lows, axis=0)
    hi = tl.max(highs, axis=0)
    tl.store(low + row, lo.to(low.dtype.element_ty))
    tl.store(high + row, hi.to(high.dtype.element_ty))
    tl.store(width + row, hi - lo)


def launch(x, low, high, width, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    minmax_kernel[(rows,)](x, low, high, width, cols, BLOCK=block)
