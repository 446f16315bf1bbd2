"""The call that every conformance kernel answers, and the pieces that expectations are made of.

Each kernel NAME.hip exports `launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream)`.
`inputs()` gives x and k; y and z hold POISON before the call. The function NAME in
expected_execution.py or expected_number.py gives what they hold
afterwards: `y` and `z` (elements that it leaves out of a shorter array, and arrays that it does not return, must still
hold the poison) and `rtol`, `atol` for y (0 where the kernel's arithmetic is exact).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N = 1000
POISON_Y, POISON_Z = np.float32(-3.0e33), np.int32(-1717986919)

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Expected:
    y: NDArray[np.floating] | None = None
    z: Ints | None = None
    rtol: float = 0.0
    atol: float = 0.0


def inputs(n: int = N) -> tuple[Floats, Ints]:
    """Normal numbers around 0, a few exact ones, and integers from -1000 to 1000."""
    rng = np.random.default_rng(20240917)
    x = rng.standard_normal(n).astype(np.float32)
    x[::37] = np.float32(0.0)
    x[5::41] = np.float32(-1.5)
    x[7::43] = np.float32(0.125)
    return x, rng.integers(-1000, 1001, n).astype(np.int32)


# ---- pieces
def padded(v: NDArray, to: int, fill: float = 0) -> NDArray:
    """Rows of `to` elements, the last one filled up."""
    return np.concatenate([v, np.full(-len(v) % to, fill, v.dtype)]).reshape(-1, to)


def flat(rows: NDArray, n: int) -> NDArray:
    return np.ascontiguousarray(rows).reshape(-1)[:n]


def i32(v: object) -> Ints:
    return (np.asarray(v, np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def shuffled(v: NDArray, sources: NDArray, block: int, wave: int) -> NDArray:
    """Each lane's value from lane `sources` of its wave; `sources` has one entry for each lane of a block."""
    rows = padded(v, block)
    threads = np.arange(block)
    return flat(rows[:, threads // wave * wave + sources % wave], len(v))


def lanes(wave: int, block: int = 256) -> NDArray:
    return np.arange(block) % wave


def waves(v: NDArray, wave: int, block: int = 256, fill: int = 0) -> NDArray:
    return padded(v, block, fill).reshape(-1, wave)


def spread(rows: NDArray, width: int, n: int) -> NDArray:
    return flat(np.repeat(np.asarray(rows).reshape(-1, 1), width, axis=1), n)


EXPECTED: dict[str, Callable[[Floats, Ints, int, int], Expected]] = {}


def kernel(function):
    EXPECTED[function.__name__] = function
    return function
