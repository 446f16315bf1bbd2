"""Sliding-window attention: one program per 64 queries of one head, over the tiles of 64 keys that touch the band."""

import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q, k, v, out, group, length, window, scale, D: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr
):
    head = tl.program_id(1).to(tl.int64) * length * D
    kv_head = (tl.program_id(1) // group).to(tl.int64) * length * D
    first_query = tl.program_id(0) * QUERIES
    queries = first_query + tl.arange(0, QUERIES)
    dims = tl.arange(0, D)
    at_q = head + queries[:, None] * D + dims[None, :]
    vq = tl.load(q + at_q, mask=queries[:, None] < length, other=0.0)
    largest = tl.full((QUERIES,), -1e30, tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    acc = tl.zeros((QUERIES, D), tl.float32)
    begin = tl.maximum(first_query - window + 1, 0) // KEYS * KEYS
    end = tl.minimum(first_query + QUERIES, length)
    for start in range(begin, end, KEYS):
        keys = start + tl.arange(0, KEYS)
        vk = tl.load(k + kv_head + keys[None, :] * D + dims[:, None], mask=keys[None, :] < length, other=0.0)
        # A tile may be masked for a whole query; what it adds then is scaled to zero by the first visible key.
        distance = queries[:, None] - keys[None, :]
        scores = tl.where((distance >= 0) & (distance < window), tl.dot(vq, vk) * scale, -1e30)
        top = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp(scores - top[:, None])
        rescale = tl.exp(largest - top)
        total = total * rescale + tl.sum(p, axis=1)
        vv = tl.load(v + kv_head + keys[:, None] * D + dims[None, :], mask=keys[:, None] < length, other=0.0)
        acc = acc * rescale[:, None] + tl.dot(p.to(vv.dtype), vv)
        largest = top
    result = (acc / total[:, None]).to(out.dtype.element_ty)
    tl.store(out + at_q, result, mask=queries[:, None] < length)


def launch(q, k, v, out, batch, kv_heads, group, length, window, head_dim):
    tile = 64
    attention_kernel[(triton.cdiv(length, tile), batch * kv_heads * group)](
        q, k, v, out, group, length, window, head_dim**-0.5, D=head_dim, QUERIES=tile, KEYS=tile
    )
