"""Write into a paged key-value cache: one program per token, in blocks of its elements."""

import triton
import triton.language as tl


@triton.jit
def cache_write_kernel(key, value, slots, key_cache, value_cache, heads, head_dim, page_size, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots + token)
    page = slot // page_size
    place = slot % page_size
    width = heads * head_dim
    copied = tl.where(slot >= 0, width, 0)
    for start in range(0, copied, BLOCK):
        i = start + tl.arange(0, BLOCK)
        target = ((page * heads + i // head_dim) * page_size + place) * head_dim + i % head_dim
        tl.store(key_cache + target, tl.load(key + token * width + i, mask=i < copied), mask=i < copied)
        tl.store(value_cache + target, tl.load(value + token * width + i, mask=i < copied), mask=i < copied)


def launch(key, value, slots, key_cache, value_cache, tokens, heads, head_dim, pages, page_size):
    block = min(triton.next_power_of_2(heads * head_dim), 1024)
    cache_write_kernel[(tokens,)](
        key, value, slots, key_cache, value_cache, heads, head_dim, page_size, BLOCK=block
    )
