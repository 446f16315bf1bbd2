"""Bias and exact GELU: one program per block of the flattened tensor."""

import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x, bias, y, count, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    v = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
    v += tl.load(bias + i % cols, mask=inside, other=0.0).to(tl.float32)
    gelu = 0.5 * v * (1.0 + tl.erf(0.7071067811865476 * v))
    tl.store(y + i, gelu.to(y.dtype.element_ty), mask=inside)


def launch(x, bias, y, rows, cols):
    count = rows * cols
    block = 512
    bias_gelu_kernel[(triton.cdiv(count, block),)](x, bias, y, count, cols, BLOCK=block)
