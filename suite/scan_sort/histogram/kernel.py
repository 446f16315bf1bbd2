"""Histogram: programs count in registers where the bins are few, else straight into the output, by atomics."""

import triton
import triton.language as tl


@triton.jit
def clear(counts, bins, BLOCK: tl.constexpr):
    b = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(counts + b, tl.zeros((BLOCK,), tl.int32), mask=b < bins)


@triton.jit
def count_private(x, counts, count, bins, BINS: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.arange(0, BINS)
    local = tl.zeros((BINS,), tl.int32)
    for block in range(tl.program_id(0), tl.cdiv(count, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < count, other=0)
        # Lanes beyond the end have been counted in bin 0.
        surplus = tl.sum((i >= count).to(tl.int32), axis=0)
        local += tl.histogram(v, BINS) - tl.where(b == 0, surplus, 0)
    tl.atomic_add(counts + b, local, mask=(b < bins) & (local != 0))


@triton.jit
def count_global(x, counts, count, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < count, other=0)
    tl.atomic_add(counts + v, tl.full((BLOCK,), 1, tl.int32), mask=i < count)


def launch(x, counts, count, bins):
    block = 1024
    clear[(triton.cdiv(bins, block),)](counts, bins, BLOCK=block)
    blocks = triton.cdiv(count, block)
    if bins <= 4096:
        padded = max(triton.next_power_of_2(bins), 32)
        count_private[(min(blocks, 1024),)](x, counts, count, bins, BINS=padded, BLOCK=block)
    else:
        count_global[(blocks,)](x, counts, count, BLOCK=block)
