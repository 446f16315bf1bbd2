"""Causal attention: one program per 64 queries of one head, with a running softmax over tiles of 64 keys."""

import triton
import triton.language as tl


@triton.jit
def attention_kernel(q, k, v, out, length, scale, D: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * length * D
    queries = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    dims = tl.arange(0, D)
    at_q = head + queries[:, None] * D + dims[None, :]
    vq = tl.load(q + at_q, mask=queries[:, None] < length, other=0.0)
    largest = tl.full((QUERIES,), -1e30, tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    acc = tl.zeros((QUERIES, D), tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * QUERIES, length)
    for start in range(0, end, KEYS):
        keys = start + tl.arange(0, KEYS)
        vk = tl.load(k + head + keys[None, :] * D + dims[:, None], mask=keys[None, :] < length, other=0.0)
        scores = tl.dot(vq, vk) * scale
        scores = tl.where(keys[None, :] <= queries[:, None], scores, -1e30)
        top = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp(scores - top[:, None])
        rescale = tl.exp(largest - top)
        total = total * rescale + tl.sum(p, axis=1)
        vv = tl.load(v + head + keys[:, None] * D + dims[None, :], mask=keys[:, None] < length, other=0.0)
        acc = acc * rescale[:, None] + tl.dot(p.to(vv.dtype), vv)
        largest = top
    result = (acc / total[:, None]).to(out.dtype.element_ty)
    tl.store(out + at_q, result, mask=queries[:, None] < length)


def launch(q, k, v, out, batch, heads, length, head_dim):
    tile = 64
    attention_kernel[(triton.cdiv(length, tile), batch * heads)](
        q, k, v, out, length, head_dim**-0.5, D=head_dim, QUERIES=tile, KEYS=tile
    )
