"""All expectations by kernel name; see spec.py for the call and its arrays."""

from __future__ import annotations

from . import expected_execution, expected_number
from .spec import EXPECTED, POISON_Y, POISON_Z, Expected, N, inputs

__all__ = ["EXPECTED", "HIP_ONLY", "POISON_Y", "POISON_Z", "Expected", "N", "differences", "inputs", "names"]

HIP_ONLY = frozenset({"vector_operators"})
"""Kernels that use what CUDA does not have; a CUDA build leaves them out."""
_FILLED_BY = (expected_execution, expected_number)


def names() -> list[str]:
    """Return the names of all kernels, sorted."""
    return sorted(EXPECTED)


def differences(name: str, y: bytes, z: bytes, warp_size: int, n: int = N) -> list[str]:
    """Compare what a launch left in y and z with what is expected; an empty list when they agree."""
    import numpy as np

    x, k = inputs(n)
    want = EXPECTED[name](x, k, n, warp_size)
    found = []
    for label, data, dtype, poison, values, rtol, atol in (
        ("y", y, np.float32, POISON_Y, want.y, want.rtol, want.atol),
        ("z", z, np.int32, POISON_Z, want.z, 0.0, 0.0),
    ):
        got = np.frombuffer(data, dtype)
        full = np.full(n, poison, np.float64)
        tolerance = np.zeros(n)
        if values is not None:
            full[: len(values)] = values
            tolerance[: len(values)] = atol + rtol * np.abs(np.nan_to_num(full[: len(values)], posinf=0, neginf=0))
        if rtol == 0.0 and atol == 0.0:
            full = full.astype(dtype).astype(np.float64)
        with np.errstate(invalid="ignore"):
            same = (np.abs(got - full) <= tolerance) | (got == full) | (np.isnan(got) & np.isnan(full))
        for i in np.flatnonzero(~same)[:5]:
            found.append(f"{label}[{i}] = {got[i]!r}, expected {full[i]!r} within {tolerance[i]:g}")
    return found
