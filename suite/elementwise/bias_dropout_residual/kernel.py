"""Bias, dropout and residual: one program per block of the flattened rows."""

import triton
import triton.language as tl


@triton.jit
def random_bits(i, seed):
    """24 random bits for each element index; all arithmetic is modulo 2**32."""
    h = i.to(tl.uint32) * 0x9E3779B9 + seed
    h = (h ^ (h >> 16)) * 0x85EBCA6B
    h = (h ^ (h >> 13)) * 0xC2B2AE35
    h = h ^ (h >> 16)
    return (h >> 8).to(tl.int32)


@triton.jit
def bias_dropout_kernel(x, bias, residual, seed, threshold, scale, y, count, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    v = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
    v += tl.load(bias + i % cols, mask=inside, other=0.0).to(tl.float32)
    v = tl.where(random_bits(i, seed) < threshold, 0.0, v * scale)
    r = tl.load(residual + i, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + i, (r + v).to(y.dtype.element_ty), mask=inside)


def launch(x, bias, residual, seed, threshold, y, rows, cols):
    count = rows * cols
    scale = 1.0 / (1.0 - threshold / 2**24)
    block = 512
    bias_dropout_kernel[(triton.cdiv(count, block),)](
        x, bias, residual, seed, threshold, scale, y, count, cols, BLOCK=block
    )
