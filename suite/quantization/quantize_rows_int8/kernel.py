"""Row-wise int8 quantisation: one program per row; largest magnitude first, then the rounded quotients."""

import triton
import triton.language as tl


@triton.jit
def power_of_two(exponent):
    """2**exponent as float32, from its bits."""
    return ((exponent + 127) << 23).to(tl.float32, bitcast=True)


@triton.jit
def round_to_even(v):
    """Nearest integer, ties to even, for magnitudes below 2**22: the addition drops the fraction."""
    bits = (v + 12582912.0).to(tl.int32, bitcast=True)
    return bits - 0x4B400000


@triton.jit
def quantize_kernel(x, q, scale, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    top = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        top = tl.maximum(top, tl.abs(v))
    amax = tl.max(top, axis=0)
    bits = amax.to(tl.int32, bitcast=True)
    # amax = 1.f * 2**e is at most 127 * 2**(e - 6) exactly if its 23 fraction bits are at most those of 127/64.
    exponent = (bits >> 23) - 127 - tl.where((bits & 0x7FFFFF) <= 0x7E0000, 6, 5)
    exponent = tl.where(amax > 0.0, exponent, 0)
    inverse = power_of_two(-exponent)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(q + row * cols + c, round_to_even(v * inverse).to(tl.int8), mask=c < cols)
    tl.store(scale + row, power_of_two(exponent))


def launch(x, q, scale, rows, cols):
    block = min(triton.next_power_of_2(cols), 1024)
    quantize_kernel[(rows,)](x, q, scale, cols, BLOCK=block)
