"""Row-wise argmax: one program per row; every lane keeps its best, one reduction at the end picks the row's."""

import triton
import triton.language as tl


@triton.jit
def row_argmax_kernel(x, index, value, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    where = tl.zeros((BLOCK,), tl.int32) + cols
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        # Later columns never replace an equal value, so each lane keeps its first maximum.
        better = v > best
        where = tl.where(better, c, where)
        best = tl.where(better, v, best)
    top = tl.max(best, axis=0)
    first = tl.min(tl.where(best == top, where, cols), axis=0)
    tl.store(index + row, first.to(tl.int64))
    tl.store(value + row, tl.load(x + row * cols + first))


def launch(x, index, value, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    row_argmax_kernel[(rows,)](x, index, value, cols, BLOCK=block)
