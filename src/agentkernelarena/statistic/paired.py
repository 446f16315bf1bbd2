"""Tests of paired differences, and their correction when several are made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentkernelarena.statistic.estimate import Significance

_LARGEST_EXACT = 50


def wilcoxon(differences: Sequence[float]) -> Significance:
    """Wilcoxon's signed-rank test (1945) that paired differences are symmetric about 0; zero differences drop out.

    Exact up to 50 pairs, with mid-ranks where absolute values are equal (scipy's exact method has no ties); beyond
    that scipy's normal approximation. No pair left: p is 1.
    """
    kept = np.array([d for d in differences if d != 0], dtype=np.float64)
    if not len(kept):
        return Significance(1.0, 0)
    if len(kept) <= _LARGEST_EXACT:
        return Significance(_exact(kept), len(kept))
    from scipy import stats

    return Significance(float(stats.wilcoxon(kept).pvalue), len(kept))


def _exact(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Two-sided p from the distribution of the positive ranks' sum over all sign patterns, built rank by rank."""
    size = np.abs(differences)
    # Twice the mid-rank is an integer: values below, counted twice, plus equal ones plus one.
    ranks = [int(2 * (size < s).sum() + (size == s).sum() + 1) for s in size]
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways += shifted
    observed = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    tail = min(ways[: observed + 1].sum(), ways[observed:].sum())
    return float(min(1.0, 2 * tail / 2.0 ** len(ranks)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979), in the given order: reject where the result is at most the level."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
