"""Segmented sum: one program per segment, in blocks of 512 elements."""

import triton
import triton.language as tl


@triton.jit
def segmented_sum_kernel(x, offsets, sums, BLOCK: tl.constexpr):
    segment = tl.program_id(0).to(tl.int64)
    begin = tl.load(offsets + segment)
    end = tl.load(offsets + segment + 1)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(begin, end, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < end, other=0.0)
    tl.store(sums + segment, tl.sum(total, axis=0))


def launch(x, offsets, sums, total, segments):
    segmented_sum_kernel[(segments,)](x, offsets, sums, BLOCK=512)
