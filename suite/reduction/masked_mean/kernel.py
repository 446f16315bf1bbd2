"""Masked mean: one program per sequence and 128 of its hidden units, a loop over the tokens in tiles."""

import triton
import triton.language as tl


@triton.jit
def masked_mean_kernel(x, mask, y, tokens, hidden, TOKENS: tl.constexpr, HIDDEN: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1) * HIDDEN + tl.arange(0, HIDDEN)
    total = tl.zeros((TOKENS, HIDDEN), tl.float32)
    count = tl.zeros((TOKENS,), tl.float32)
    for start in range(0, tokens, TOKENS):
        t = start + tl.arange(0, TOKENS)
        selected = tl.load(mask + sequence * tokens + t, mask=t < tokens, other=0) != 0
        where = (sequence * tokens + t)[:, None] * hidden + h[None, :]
        v = tl.load(x + where, mask=selected[:, None] & (h[None, :] < hidden), other=0.0)
        total += v.to(tl.float32)
        count += tl.where(selected, 1.0, 0.0)
    mean = tl.sum(total, axis=0) / tl.maximum(tl.sum(count, axis=0), 1.0)
    tl.store(y + sequence * hidden + h, mean, mask=h < hidden)


def launch(x, mask, y, batch, tokens, hidden):
    grid = (batch, triton.cdiv(hidden, 128))
    masked_mean_kernel[grid](x, mask, y, tokens, hidden, TOKENS=16, HIDDEN=128)
