"""Log-sum-exp: one program per row; maximum first, then the sum of exponentials, in blocks."""

import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x, lse, cols, BLOCK: tl.constexpr):
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
    tl.store(lse + row, peak + tl.log(tl.sum(total, axis=0)))


def launch(x, lse, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    logsumexp_kernel[(rows,)](x, lse, cols, BLOCK=block)
