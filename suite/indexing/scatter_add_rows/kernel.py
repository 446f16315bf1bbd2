"""Scatter-add of rows: one program per 1024 elements, one atomic addition each."""

import triton
import triton.language as tl


@triton.jit
def scatter_add_kernel(source, index, out, elements, dim, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < elements
    row = i // dim
    target = tl.load(index + row, mask=inside, other=0).to(tl.int64)
    v = tl.load(source + i, mask=inside, other=0.0)
    tl.atomic_add(out + target * dim + (i - row * dim), v, mask=inside)


def launch(source, index, out, rows, count, dim):
    block = 1024
    scatter_add_kernel[(triton.cdiv(count * dim, block),)](source, index, out, count * dim, dim, BLOCK=block)
