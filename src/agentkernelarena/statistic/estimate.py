"""The two shapes of a statistical answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with the two ends of its interval; the ends are None where the data cannot give one (a single unit)."""

    value: float
    low: float | None
    high: float | None
    units: int


@dataclass(frozen=True)
class Significance:
    """What a two-sided test says: its p-value and how many pairs with a difference it had."""

    p_value: float
    pairs: int
