"""Decode attention: one program per query head and sequence, with a running softmax over tiles of 64 keys."""

import triton
import triton.language as tl


@triton.jit
def decode_kernel(
    q, k_cache, v_cache, lengths, out, heads, group, length, scale, D: tl.constexpr, KEYS: tl.constexpr
):
    sequence = tl.program_id(1)
    head = (sequence * heads + tl.program_id(0)).to(tl.int64)
    cache = head // group * length * D
    count = tl.load(lengths + sequence)
    dims = tl.arange(0, D)
    query = tl.load(q + head * D + dims).to(tl.float32) * scale
    largest = tl.full((1,), -1e30, tl.float32)
    total = tl.zeros((1,), tl.float32)
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, count, KEYS):
        keys = start + tl.arange(0, KEYS)
        at = cache + keys[:, None] * D + dims[None, :]
        k = tl.load(k_cache + at, mask=keys[:, None] < count, other=0.0).to(tl.float32)
        score = tl.where(keys < count, tl.sum(k * query[None, :], axis=1), -1e30)
        top = tl.maximum(largest, tl.max(score, axis=0))
        p = tl.exp(score - top)
        rescale = tl.exp(largest - top)
        v = tl.load(v_cache + at, mask=keys[:, None] < count, other=0.0).to(tl.float32)
        acc = acc * rescale + tl.sum(p[:, None] * v, axis=0)
        total = total * rescale + tl.sum(p, axis=0)
        largest = top
    tl.store(out + head * D + dims, (acc / total).to(out.dtype.element_ty))


def launch(q, k_cache, v_cache, lengths, out, batch, kv_heads, group, length, head_dim):
    heads = kv_heads * group
    decode_kernel[(heads, batch)](
        q, k_cache, v_cache, lengths, out, heads, group, length, head_dim**-0.5, D=head_dim, KEYS=64
    )
