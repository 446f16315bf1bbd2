"""Intervals of proportions, and the quantiles that all intervals use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import special

from agentkernelarena.statistic.estimate import Estimate


def normal_quantile(level: float) -> float:
    """Quantile z: a standard normal lies within +-z with probability `level` (1.96 for 0.95)."""
    return float(special.ndtri(0.5 + level / 2))


def student_quantile(level: float, freedom: float) -> float:
    """Quantile t: Student's t with `freedom` degrees lies within +-t with probability `level`."""
    return float(special.stdtrit(freedom, 0.5 + level / 2))


def student_mean(values: Sequence[float], level: float = 0.95) -> Estimate:
    """Mean of a few independent values with Student's interval; a single value has none. Raises ValueError for none."""
    count = len(values)
    if not count:
        raise ValueError("a mean of no values")
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None, None, 1)
    variance = math.fsum((v - mean) ** 2 for v in values) / (count - 1)
    half = student_quantile(level, count - 1) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half, count)


def wilson(count: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion; never leaves 0 to 1. (0, 1) for no observations."""
    if total <= 0:
        return 0.0, 1.0
    z = normal_quantile(level)
    share, square = count / total, z * z
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, centre - half), min(1.0, centre + half)


def clustered_proportion(clusters: Sequence[tuple[float, float]], level: float = 0.95) -> Estimate:
    """Share of successes where observations of one cluster (a task) hang together.

    clusters: (successes, observations) of each. Wilson's interval at the effective sample size that follows from the
    linearised variance between clusters, reduced for the few degrees of freedom of that variance (after Korn and
    Graubard, 1998). A cluster counts as one observation at least, and as one where all agree completely: the cautious
    choice. Value NaN for no observations.
    """
    used = [(s, n) for s, n in clusters if n > 0]
    total = math.fsum(n for _, n in used)
    if not used:
        return Estimate(math.nan, None, None, 0)
    count = len(used)
    share = math.fsum(s for s, _ in used) / total
    residual = math.fsum((s - share * n) ** 2 for s, n in used)
    effective = float(count)
    if count > 1 and residual > 0:
        variance = count / (count - 1) * residual / total**2
        reduction = (normal_quantile(level) / student_quantile(level, count - 1)) ** 2
        effective = max(count, min(total, share * (1 - share) / variance * reduction))
    low, high = wilson(share * effective, effective, level)
    return Estimate(share, low, high, count)
