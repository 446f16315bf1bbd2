"""Rotary embedding, interleaved layout: one program per token, a loop over its pairs."""

import triton
import triton.language as tl


@triton.jit
def rope_kernel(x, positions, inv_freq, y, heads, head_dim, rotary_dim, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    half = head_dim // 2
    position = tl.load(positions + token).to(tl.float32)
    base = token * heads * head_dim
    for start in range(0, heads * half, BLOCK):
        pair = start + tl.arange(0, BLOCK)
        inside = pair < heads * half
        i = pair % half
        turned = inside & (2 * i < rotary_dim)
        a = tl.load(x + base + 2 * pair, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(x + base + 2 * pair + 1, mask=inside, other=0.0).to(tl.float32)
        angle = position * tl.load(inv_freq + i, mask=turned, other=0.0)
        # Beyond rotary_dim the angle is 0: cosine 1 and sine 0 copy the pair.
        c, s = tl.cos(angle), tl.sin(angle)
        tl.store(y + base + 2 * pair, (a * c - b * s).to(y.dtype.element_ty), mask=inside)
        tl.store(y + base + 2 * pair + 1, (b * c + a * s).to(y.dtype.element_ty), mask=inside)


def launch(x, positions, inv_freq, y, tokens, heads, head_dim, rotary_dim):
    block = min(triton.next_power_of_2(heads * head_dim // 2), 1024)
    rope_kernel[(tokens,)](x, positions, inv_freq, y, heads, head_dim, rotary_dim, BLOCK=block)
