"""Dequantisation of packed int4 weights: one lane per weight, reading the word that holds it."""

import triton
import triton.language as tl


@triton.jit
def dequantize_kernel(packed, zeros, scales, weight, count, group_size, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    row, c = i // cols, i % cols
    group = row // group_size
    word = tl.load(packed + row // 8 * cols + c, mask=inside, other=0)
    zero_word = tl.load(zeros + group * (cols // 8) + c // 8, mask=inside, other=0)
    scale = tl.load(scales + group * cols + c, mask=inside, other=0.0).to(tl.float32)
    q = (word >> (row % 8 * 4).to(tl.int32)) & 15
    zero = (zero_word >> (c % 8 * 4).to(tl.int32)) & 15
    tl.store(weight + i, ((q - zero).to(tl.float32) * scale).to(weight.dtype.element_ty), mask=inside)


def launch(packed, zeros, scales, weight, groups, group_size, cols):
    count = groups * group_size * cols
    block = 1024
    dequantize_kernel[(triton.cdiv(count, block),)](
        packed, zeros, scales, weight, count, group_size, cols, BLOCK=block
    )
