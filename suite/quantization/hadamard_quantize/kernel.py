"""Hadamard rotation and int8 quantisation: one program per row, the fast transform in registers."""

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
def hadamard_quantize_kernel(x, q, scale, root, COLS: tl.constexpr, ROUNDS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, COLS)
    h = tl.load(x + row * COLS + c).to(tl.float32)
    # Every round combines neighbours and moves the index bit that it has dealt with to the front: after all rounds
    # each bit has had its turn and is back in its place.
    for _ in tl.static_range(ROUNDS):
        first, second = tl.split(tl.reshape(h, (COLS // 2, 2)))
        h = tl.reshape(tl.trans(tl.join(first + second, first - second)), (COLS,))
    amax = tl.max(tl.abs(h), axis=0)
    bits = amax.to(tl.int32, bitcast=True)
    # amax = 1.f * 2**e is at most 127 * 2**(e - 6) exactly if its 23 fraction bits are at most those of 127/64.
    exponent = (bits >> 23) - 127 - tl.where((bits & 0x7FFFFF) <= 0x7E0000, 6, 5)
    exponent = tl.where(amax > 0.0, exponent, 0)
    tl.store(q + row * COLS + c, round_to_even(h * power_of_two(-exponent)).to(tl.int8))
    tl.store(scale + row, power_of_two(exponent) / root)


def launch(x, q, scale, rows, cols):
    rounds = cols.bit_length() - 1
    hadamard_quantize_kernel[(rows,)](x, q, scale, float(cols) ** 0.5, COLS=cols, ROUNDS=rounds)
