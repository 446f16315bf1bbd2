"""Bootstrap intervals of means over nested data: tasks hold trials, trials hold configurations.

The statistic is always a mean of means (of logarithms, for geometric means): configurations within a trial, trials
within a task, tasks. `random` says at which level the data is a sample of something larger:

    task           "agents on tasks like these": tasks are resampled, each with everything below it
    trial          "this agent on exactly these tasks": trials are resampled within each task
    configuration  "these very submissions": configurations are resampled within each trial

Only the highest random level is resampled. Resampling the lower levels too counts their noise twice (it is already in
the spread of the upper units), which Davison and Hinkley (Bootstrap Methods, 1997, section 3.8) show for two levels.
Where the wanted level has a single unit, the next one below is used.

The plain percentile interval is too narrow for few units, because resamples vary by (n-1)/n of the sample variance and
because their quantiles are normal, not Student's. Both are corrected by stretching the interval about the estimate by
sqrt(n/(n-1)) x t/z (after Hesterberg, What Teachers Should Know about the Bootstrap, 2015, on expanded percentiles).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from agentkernelarena.statistic.estimate import Estimate
from agentkernelarena.statistic.interval import normal_quantile, student_quantile

RESAMPLES = 2000

Nested = Sequence[Sequence[Sequence[float]]]
"""values[task][trial][configuration]; no level may be empty."""

Floats = NDArray[np.float64]


class Level(StrEnum):
    """The level at which data is random."""

    TASK = "task"
    TRIAL = "trial"
    CONFIGURATION = "configuration"


def mean_of_means(values: Nested) -> float:
    """Mean over tasks of the mean over trials of the mean over configurations."""
    return _mean([_mean([_mean(trial) for trial in task]) for task in values])


def bootstrap_mean(units: Sequence[float], seed: int, level: float = 0.95, resamples: int = RESAMPLES) -> Estimate:
    """Mean of independent `units` with its interval; one unit has no interval. Raises ValueError for none."""
    return hierarchical([[[u]] for u in units], seed, Level.TASK, level, resamples)


def hierarchical(
    values: Nested, seed: int, random: Level = Level.TASK, level: float = 0.95, resamples: int = RESAMPLES
) -> Estimate:
    """Mean of means with its bootstrap interval; `seed` makes it reproducible.

    Raises:
        ValueError: there is no value.
    """
    if not values or not all(task and all(task) for task in values):
        raise ValueError("a mean of no values")
    estimate = mean_of_means(values)
    strata = _strata(values, random)
    freedom = sum(len(units) - 1 for _, units in strata)
    units = sum(len(units) for _, units in strata)
    if freedom < 1:
        return Estimate(estimate, None, None, units)
    generator = np.random.Generator(np.random.PCG64(seed))
    deviation = np.zeros(resamples)
    for weight, stratum in strata:
        count = len(stratum)
        if count > 1:
            deviation += weight * math.sqrt(count / (count - 1)) * _resampled_deviation(stratum, generator, resamples)
    stretch = student_quantile(level, freedom) / normal_quantile(level)
    tail = (1 - level) / 2
    low, high = (float(q) for q in np.quantile(deviation, [tail, 1 - tail]))
    return Estimate(estimate, estimate + stretch * low, estimate + stretch * high, units)


def geometric(values: Nested, seed: int, random: Level = Level.TASK, level: float = 0.95) -> Estimate:
    """Geometric mean of positive `values` with its interval."""
    logs = [[[math.log(v) for v in trial] for trial in task] for task in values]
    return exponential(hierarchical(logs, seed, random, level))


def exponential(estimate: Estimate) -> Estimate:
    """The estimate of exp(x) from that of x."""
    low, high = estimate.low, estimate.high
    return Estimate(
        math.exp(estimate.value), None if low is None else math.exp(low), None if high is None else math.exp(high),
        estimate.units,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _strata(values: Nested, random: Level) -> list[tuple[float, Floats]]:
    """(weight in the estimate, means of the units) for each group that is resampled within."""
    if random is Level.TASK:
        if len(values) > 1:
            return [(1.0, np.array([_mean([_mean(trial) for trial in task]) for task in values]))]
        random = Level.TRIAL
    share = 1.0 / len(values)
    if random is Level.TRIAL and any(len(task) > 1 for task in values):
        return [(share, np.array([_mean(trial) for trial in task])) for task in values]
    return [(share / len(task), np.array(trial)) for task in values for trial in task]


def _resampled_deviation(units: Floats, generator: np.random.Generator, resamples: int) -> Floats:
    """Mean of a resample minus the mean, `resamples` times; in slices, so that memory stays small."""
    count, mean = len(units), float(units.mean())
    out = np.empty(resamples)
    step = max(1, 2_000_000 // count)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        index = generator.integers(0, count, (stop - start, count))
        out[start:stop] = units[index].mean(axis=1) - mean
    return out
