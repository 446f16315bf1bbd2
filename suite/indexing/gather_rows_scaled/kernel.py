"""Scaled gather of rows: one program per output row, in blocks of columns."""

import triton
import triton.language as tl


@triton.jit
def gather_kernel(table, index, scale, out, dim, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    source = tl.load(index + i).to(tl.int64)
    factor = tl.load(scale + i)
    readable = tl.where(source >= 0, dim, 0)
    for start in range(0, dim, BLOCK):
        d = start + tl.arange(0, BLOCK)
        v = tl.load(table + source * dim + d, mask=d < readable, other=0.0).to(tl.float32)
        tl.store(out + i * dim + d, (v * factor).to(out.dtype.element_ty), mask=d < dim)


def launch(table, index, scale, out, rows, count, dim):
    block = min(triton.next_power_of_2(dim), 1024)
    gather_kernel[(count,)](table, index, scale, out, dim, BLOCK=block)
