"""Tests of paired differences, and their correction when several are made."""

from __future__ import annotations

from collections.abc import Sequence

from agentkernelarena.statistic.estimate import Significance


def wilcoxon(differences: Sequence[float]) -> Significance:
    """Wilcoxon's signed-rank test that paired differences are symmetric about 0; pairs without a difference drop out.

    Exact up to 50 pairs without ties, else the normal approximation (scipy's choice). No pair left: p is 1.
    """
    import numpy as np
    from scipy import stats

    kept = [d for d in differences if d != 0]
    if not kept:
        return Significance(1.0, 0)
    return Significance(float(stats.wilcoxon(np.array(kept)).pvalue), len(kept))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979), in the given order: reject where the result is at most the level."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
