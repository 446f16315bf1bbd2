"""Rotary embedding, half-split layout: one program per token and tensor, a loop over its pairs."""

import triton
import triton.language as tl


@triton.jit
def rope_kernel(positions, cos_sin, x, heads, head_dim, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    half = head_dim // 2
    table = cos_sin + tl.load(positions + token) * head_dim
    rows = x + token * heads * head_dim
    for start in range(0, heads * half, BLOCK):
        pair = start + tl.arange(0, BLOCK)
        inside = pair < heads * half
        head, i = pair // half, pair % half
        first = rows + head * head_dim + i
        a = tl.load(first, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(first + half, mask=inside, other=0.0).to(tl.float32)
        c = tl.load(table + i, mask=inside, other=0.0)
        s = tl.load(table + half + i, mask=inside, other=0.0)
        tl.store(first, (a * c - b * s).to(x.dtype.element_ty), mask=inside)
        tl.store(first + half, (b * c + a * s).to(x.dtype.element_ty), mask=inside)


def launch(positions, cos_sin, query, key, tokens, heads, kv_heads, head_dim, max_position):
    for x, count in ((query, heads), (key, kv_heads)):
        block = min(triton.next_power_of_2(count * head_dim // 2), 1024)
        rope_kernel[(tokens,)](positions, cos_sin, x, count, head_dim, BLOCK=block)
