"""What the kernels about numbers compute: 16- and 8-bit formats, vectors, bits, mathematics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .spec import Expected, i32, kernel, lanes, shuffled


def nearest(v: NDArray, mantissa: int, emin: int, largest: float) -> NDArray:
    """Round to a binary format (`mantissa` bits after the point) to nearest even, in float64; beyond it: infinity."""
    v = np.asarray(v, np.float64)
    e = np.maximum(np.frexp(v)[1] - 1, emin)
    r = np.ldexp(np.rint(np.ldexp(v, mantissa - e)), e - mantissa)
    return np.where(np.abs(r) > largest, np.copysign(np.inf, r), r)


def half(v: NDArray) -> NDArray:
    return nearest(v, 10, -14, 65504.0)


def brain(v: NDArray) -> NDArray:
    return nearest(v, 7, -126, 3.3895313892515355e38)


def fp8_values(exponent_bits: int, mantissa_bits: int, bias: int, largest: float) -> NDArray:
    """The finite non-negative numbers of an 8-bit format, ascending."""
    fields = [(e, m) for e in range(2**exponent_bits) for m in range(2**mantissa_bits)]
    values = [
        m * 2.0 ** (1 - bias - mantissa_bits) if e == 0 else (1 + m / 2**mantissa_bits) * 2.0 ** (e - bias)
        for e, m in fields
    ]
    return np.array([v for v in values if v <= largest])


def to_fp8(v: NDArray, values: NDArray) -> NDArray:
    """Nearest value, ties to the one with the even code; beyond the largest: the largest."""
    a = np.minimum(np.abs(np.asarray(v, np.float64)), values[-1])
    above = np.clip(np.searchsorted(values, a), 1, len(values) - 1)
    low, high = values[above - 1], values[above]
    up = (a - low > high - a) | ((a - low == high - a) & (above % 2 == 0))
    return np.copysign(np.where(up, high, low), v)


E4M3 = fp8_values(4, 3, 7, 448.0)
E5M2 = fp8_values(5, 2, 15, 57344.0)


@kernel
def shuffle_half(x, k, n, wave):
    return Expected(y=half(shuffled(x, lanes(wave) ^ 1, 256, wave)))


# ---- half precision
def f64(v):
    return np.asarray(v, np.float64)


@kernel
def half_arithmetic(x, k, n, wave):
    a, b = half(x), half(0.125 * (k | 1))
    y = half(a + b) + 2 * half(a - b) + 4 * half(a * b) + 8 * half(a / b)
    return Expected(y=y, rtol=4e-7, atol=1e-5)


@kernel
def half_fma(x, k, n, wave):
    return Expected(y=half(half(x) * half(np.float32(0.01) * k.astype(np.float32)) + half(x[::-1])))


@kernel
def half2_arithmetic(x, k, n, wave):
    b = half(f64(np.float32(0.3)))
    low, high = (half(a * b + half(a + half(b * b))) for a in (half(x), half(x[::-1])))
    return Expected(y=low - high, rtol=2e-7)


@kernel
def half_compare(x, k, n, wave):
    a, b = half(x), half(x[::-1])
    z = (a < b) * 65 + (a <= b) * 2 + (a == b) * 132 + (a > b) * 8 + (a >= b) * 16 + (a != b) * 32
    return Expected(z=i32(z))


@kernel
def half_round(x, k, n, wave):
    scale = np.array([1.0, 1.0e-5, 3.0e4, 0.00048828125], np.float32)[k & 3]
    v = np.where((k & 3) == 3, (2048 + (np.arange(n) & 2047)).astype(np.float32), x) * scale
    return Expected(y=half(v))


@kernel
def half_bits(x, k, n, wave):
    code = (k & 0x7BFF).astype(np.uint16)
    return Expected(y=f64(code.view(np.float16)), z=i32(half(x).astype(np.float16).view(np.uint16)))


@kernel
def half_math(x, k, n, wave):
    a = half(np.abs(x) + np.float32(0.5))
    return Expected(y=np.sqrt(a) + np.exp(a) + np.log(a) + 1 / a + np.floor(a), rtol=4e-3)


@kernel
def half_integer(x, k, n, wave):
    h = half(x * np.float32(10))
    z = np.rint(h) + 1000 * np.trunc(h) + 1000000 * np.floor(h)
    return Expected(y=half(k * 7.0), z=i32(z))


@kernel
def half2_load(x, k, n, wave):
    return Expected(y=half(x).reshape(-1, 2)[:, ::-1].reshape(-1), z=np.zeros(n, np.int32))


# ---- bfloat16 and fp8
@kernel
def bf16_round(x, k, n, wave):
    return Expected(y=brain(np.where(k & 1, x, (256 + (np.arange(n) & 511)) * 0.5)))


@kernel
def bf16_arithmetic(x, k, n, wave):
    a, b = brain(x), brain(0.125 * (k | 1))
    return Expected(y=brain(a + b) + 2 * brain(a - b) + 4 * brain(a * b), rtol=4e-7, atol=1e-5)


@kernel
def bf16_pair(x, k, n, wave):
    return Expected(y=2 * brain(x) - 2 * brain(x[::-1]), rtol=2e-7)


@kernel
def bf16_old(x, k, n, wave):
    return Expected(y=2 * brain(x))


@kernel
def bf16_accumulate(x, k, n, wave):
    a = brain(x)
    return Expected(y=sum(np.roll(a, -j) * (j + 1) for j in range(8)), rtol=1e-5, atol=1e-5)


@kernel
def fp8_e4m3(x, k, n, wave):
    small = (np.arange(n) - n // 2) * 0.0078125
    large = x * np.float32(0.02) * (1 << (k >> 1 & 15)).astype(np.float32)
    return Expected(y=to_fp8(np.where(k & 1, large, small), E4M3))


@kernel
def fp8_e5m2(x, k, n, wave):
    small = (np.arange(n) - n // 2) * 0.0000152587890625
    large = x * np.float32(0.02) * (1 << (k >> 1 & 30)).astype(np.float32)
    return Expected(y=to_fp8(np.where(k & 1, large, small), E5M2))


@kernel
def fp8_nan(x, k, n, wave):
    return Expected(y=np.where(k & 1, np.nan, 2.0))


@kernel
def fp8_decode(x, k, n, wave):
    def table(values, specials):
        positive = np.concatenate([values, specials])
        return np.concatenate([positive, -positive])

    e4m3, e5m2 = table(E4M3, [np.nan]), table(E5M2, [np.inf, np.nan, np.nan, np.nan])
    i = np.arange(n)
    return Expected(y=np.where(i & 256, e4m3[i & 255], e5m2[i & 255]))


# ---- vectors
@kernel
def float4_copy(x, k, n, wave):
    return Expected(y=x.reshape(-1, 4)[:, ::-1].reshape(-1))


@kernel
def vector_types(x, k, n, wave):
    z = k.astype(np.int64) * 3 + (1 + 2 + 3) + 1 + (k & 255) - 1 + 6 + 5 + 100000 * (16 + 4 + 16 + 12 + 4)
    return Expected(y=2 * x + np.float32(0.75), z=i32(z), rtol=2e-7, atol=2e-7)


@kernel
def vector_operators(x, k, n, wave):
    a = [f64(x), 1.0, 2.0, 3.0]
    b = [0.5, 0.25, 2.0, 4.0]
    return Expected(
        y=sum(2 * ((p * q + p - q) + p) for p, q in zip(a, b, strict=True)), z=i32(k + 6), rtol=1e-6, atol=1e-6
    )


@kernel
def packed_bytes(x, k, n, wave):
    return Expected(z=(k & 255).astype(np.uint8).view(np.int32))


# ---- bits
def reversed_bits(v, width):
    return np.array([int(format(int(a) & (2**width - 1), f"0{width}b")[::-1], 2) for a in v], np.uint64)


def bit_counts(v, width):
    u = [int(a) & (2**width - 1) for a in v]
    ones = np.array([a.bit_count() for a in u])
    leading = np.array([width - a.bit_length() for a in u])
    first = np.array([(a & -a).bit_length() for a in u])
    return ones, leading, first


@kernel
def bits_32(x, k, n, wave):
    ones, leading, first = bit_counts(k, 32)
    return Expected(
        z=i32(ones + 100 * leading + 10000 * first + (reversed_bits(k, 32) >> np.uint64(12)).astype(np.int64))
    )


@kernel
def bits_64(x, k, n, wave):
    v = k.astype(np.int64) << 17
    ones, leading, first = bit_counts(v, 64)
    return Expected(
        z=i32(ones + 100 * leading + 10000 * first + (reversed_bits(v, 64) >> np.uint64(40)).astype(np.int64))
    )


@kernel
def byte_permute(x, k, n, wave):
    # Selector 0x6240, lowest digit first: bytes 0 and 4 of the pair (k, 0x01020304), then 2 and 6.
    u = k.astype(np.int64) & 0xFFFFFFFF
    return Expected(z=i32((u & 255) | 0x04 << 8 | (u >> 16 & 255) << 16 | 0x02 << 24))


@kernel
def multiply_high(x, k, n, wave):
    wide = [int(v) for v in k]
    high = [(int(i32(v * 1000003)) * 123456789) >> 32 for v in wide]
    unsigned = [((v * 2654435761 & 0xFFFFFFFF) * 40503) >> 32 for v in wide]
    return Expected(z=i32([a + b + 77 * v for a, b, v in zip(high, unsigned, wide, strict=True)]))


@kernel
def bit_casts(x, k, n, wave):
    return Expected(y=1 + (k & 0x7FFFFF) / 2.0**23 + 2.0, z=x.view(np.int32), rtol=6e-8)


@kernel
def integer_division(x, k, n, wave):
    quotient = np.trunc(k / 7).astype(np.int64)
    return Expected(z=i32(quotient + 1000 * (k - 7 * quotient) + 100000 * np.floor(k / 8).astype(np.int64)))


@kernel
def index_64(x, k, n, wave):
    big = 5_000_000_000 + np.arange(n, dtype=np.int64)
    return Expected(z=i32(big % 1000003 + big // 4096))


@kernel
def min_max(x, k, n, wave):
    y = np.minimum(x, np.float32(0.5)) + np.maximum(x, np.float32(-0.5))
    y = y + np.minimum(x, np.float32(0.25)) + np.maximum(x, np.float32(0.75))
    return Expected(y=y, z=i32(np.minimum(k, 100) + np.maximum(k, -100)), rtol=3e-7, atol=3e-7)


@kernel
def float_to_integer(x, k, n, wave):
    v = f64(x * np.float32(10))
    return Expected(z=i32(np.rint(v) + 1000 * np.trunc(v) + 1e6 * np.floor(v) + 1e7 * np.ceil(v)))


# ---- mathematics
@kernel
def fused_multiply_add(x, k, n, wave):
    exact = f64(x) * f64(x[::-1])
    return Expected(y=(exact - f64((x * x[::-1]).astype(np.float32))) * 16777216.0)


@kernel
def round_to_nearest(x, k, n, wave):
    return Expected(y=(x * x[::-1] + x / np.float32(3)) + np.sqrt(np.abs(x)), rtol=1.2e-7, atol=1.2e-7)


@kernel
def fast_math(x, k, n, wave):
    v = f64(x)
    y = np.exp(v) + np.log(np.abs(v) + 1) + np.sin(v) + np.cos(v) + (np.abs(v) + 0.5) ** 1.5 + v / 3
    return Expected(y=y, rtol=2e-5, atol=2e-5)


@kernel
def math_float(x, k, n, wave):
    v = f64(x)
    y = np.exp(v) + np.log(np.abs(v) + 1) + np.tanh(v) + special.erf(v) + np.sin(v) + np.cos(v)
    y += np.sqrt(np.abs(v)) + np.cbrt(v) + np.exp2(v) + np.log1p(np.abs(v)) + np.expm1(v)
    return Expected(y=y + np.arctan2(v, 2) + np.abs(v) ** f64(np.float32(1.7)), rtol=3e-6, atol=3e-6)


@kernel
def math_double(x, k, n, wave):
    v = f64(x)
    y = np.exp(v) + np.log(np.abs(v) + 1) + np.tanh(v) + special.erf(v) + np.sqrt(np.abs(v))
    return Expected(y=y + (np.abs(v) + 0.1) ** 1.7 + 1 / np.sqrt(v * v + 0.5), rtol=1.2e-7)


@kernel
def math_rounding(x, k, n, wave):
    v = f64(x) * 4
    away = np.copysign(np.floor(np.abs(v) + 0.5), v)
    y = np.floor(v) + 10 * np.ceil(v) + 100 * np.trunc(v) + 1000 * np.rint(v) + 10000 * away
    return Expected(y=y + np.fmod(v, 1) + np.copysign(0.5, v), rtol=1e-6, atol=1e-6)


@kernel
def reciprocal_root(x, k, n, wave):
    v = f64(x)
    return Expected(y=1 / np.sqrt(v * v + 0.25) + special.ndtr(v), rtol=1e-6)


@kernel
def special_values(x, k, n, wave):
    v = np.choose(k & 3, [np.inf, np.nan, -np.inf, f64(x)])
    z = np.isnan(v) + 2 * np.isinf(v) + 4 * (v < 0) + 8 * (v == v) + 16 * (np.fmax(v, 1) == 1)
    with np.errstate(invalid="ignore"):
        return Expected(y=v * 0, z=i32(z))
