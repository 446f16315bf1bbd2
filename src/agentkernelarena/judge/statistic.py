"""Small statistics of timing: trimmed means and the bootstrap interval of a ratio of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentkernelarena.result import Interval, Verdict

TRIM = 0.2
_RESAMPLES = 400


def trimmed_mean(samples: Sequence[float]) -> float:
    """Mean without the lowest and highest `TRIM` share: resolves more than a median of coarse clock readings."""
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    cut = int(len(ordered) * TRIM)
    return float(ordered[cut : len(ordered) - cut].mean())


def ratio_interval(
    baseline: Sequence[Sequence[float]],
    submission: Sequence[Sequence[float]],
    seed: int,
    level: float = 0.95,
) -> tuple[float, Interval]:
    """Speedup and its percentile bootstrap interval (Efron and Tibshirani, 1993, chapter 13).

    `baseline` and `submission` are samples in microseconds per buffer set; the speedup is the geometric mean over sets
    of the ratio of trimmed means, so that what a set's place in memory does to a time cancels. `seed` is of
    the resampling, `level` of the interval.
    """
    generator = np.random.default_rng(seed)
    logs, spread = 0.0, np.zeros(_RESAMPLES)
    for a, b in zip(baseline, submission, strict=True):
        logs += np.log(trimmed_mean(a) / trimmed_mean(b))
        spread += np.log(_resampled(a, generator) / _resampled(b, generator))
    count = len(baseline)
    tail = 100 * (1 - level) / 2
    low, high = np.exp(np.percentile(spread / count, [tail, 100 - tail]))
    return float(np.exp(logs / count)), Interval(low=float(low), high=float(high), level=level)


def _resampled(
    samples: Sequence[float], generator: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.asarray(samples, dtype=np.float64)
    picks = np.sort(values[generator.integers(0, len(values), size=(_RESAMPLES, len(values)))], axis=1)
    cut = int(len(values) * TRIM)
    means: np.ndarray[tuple[int], np.dtype[np.float64]] = picks[:, cut : len(values) - cut].mean(axis=1)
    return means


def verdict(interval: Interval, half_width: float) -> Verdict:
    """What an interval says: unstable when it is wider than wanted and holds 1, else which side of 1 it lies on."""
    if interval.low > 1.0:
        return Verdict.FASTER
    if interval.high < 1.0:
        return Verdict.SLOWER
    wide = (interval.high - interval.low) / 2 > max(half_width, 0.005) * 3
    return Verdict.UNSTABLE if wide else Verdict.SAME
