"""Weighted embedding bag: one program per bag, a whole row at a time."""

import triton
import triton.language as tl


@triton.jit
def embedding_bag_kernel(table, indices, offsets, weights, out, dim, BLOCK: tl.constexpr):
    bag = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    begin = tl.load(offsets + bag)
    end = tl.load(offsets + bag + 1)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(begin, end):
        row = tl.load(indices + i).to(tl.int64)
        weight = tl.load(weights + i).to(tl.float32)
        total += weight * tl.load(table + row * dim + d, mask=d < dim, other=0.0).to(tl.float32)
    tl.store(out + bag * dim + d, total.to(out.dtype.element_ty), mask=d < dim)


def launch(table, indices, offsets, weights, out, entries, dim, bags, total):
    embedding_bag_kernel[(bags,)](table, indices, offsets, weights, out, dim, BLOCK=triton.next_power_of_2(dim))
