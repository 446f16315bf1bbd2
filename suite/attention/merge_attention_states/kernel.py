"""Merge of attention states: one program per token and head, a running maximum and sum over the states."""

import triton
import triton.language as tl


@triton.jit
def merge_kernel(values, lse, out, lse_out, states, heads, head_dim, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64)
    token = index // heads
    head = index % heads
    d = tl.arange(0, BLOCK)
    largest = tl.load(lse + token * states * heads + head)
    total = 0.0
    acc = tl.zeros((BLOCK,), tl.float32)
    for state in range(0, states):
        at = (token * states + state) * heads + head
        log_sum = tl.load(lse + at)
        v = tl.load(values + at * head_dim + d, mask=d < head_dim, other=0.0).to(tl.float32)
        top = tl.maximum(largest, log_sum)
        rescale = tl.exp(largest - top)
        weight = tl.exp(log_sum - top)
        total = total * rescale + weight
        acc = acc * rescale + weight * v
        largest = top
    tl.store(out + index * head_dim + d, (acc / total).to(out.dtype.element_ty), mask=d < head_dim)
    tl.store(lse_out + index, largest + tl.log(total))


def launch(values, lse, out, lse_out, tokens, states, heads, head_dim):
    block = triton.next_power_of_2(head_dim)
    merge_kernel[(tokens * heads,)](values, lse, out, lse_out, states, heads, head_dim, BLOCK=block)
