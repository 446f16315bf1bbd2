"""Power: how many trials per task a comparison needs to see a difference of a given size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special


@dataclass(frozen=True)
class Spread:
    """Variance components of a paired difference of logarithms.

    trial: variance between trials of one task and one contender. task: variance, between tasks, of the true difference.
    """

    trial: float
    task: float


@dataclass(frozen=True)
class Need:
    """What a difference of `ratio` needs: trials per task at the given tasks (None: no number is enough), and tasks."""

    ratio: float
    trials: int | None
    tasks: int


def spread(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> Spread | None:
    """Components from log speedups [task][trial] of two contenders, tasks paired; None without repeated trials.

    The method of moments of a one-way random-effects model; a negative component is 0.
    """
    groups = [g for side in (first, second) for g in side if len(g) > 1]
    freedom = sum(len(g) - 1 for g in groups)
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a and b]
    if freedom < 1 or len(pairs) < 2:
        return None
    means = [(math.fsum(a) / len(a), math.fsum(b) / len(b)) for a, b in pairs]
    trial = math.fsum((v - math.fsum(g) / len(g)) ** 2 for g in groups for v in g) / freedom
    differences = [a - b for a, b in means]
    centre = math.fsum(differences) / len(differences)
    between = math.fsum((d - centre) ** 2 for d in differences) / (len(differences) - 1)
    within = trial * math.fsum(1 / len(a) + 1 / len(b) for a, b in pairs) / len(pairs)
    return Spread(trial, max(0.0, between - within))


def need(parts: Spread, tasks: int, trials: int, ratio: float, level: float = 0.05, power: float = 0.8) -> Need:
    """Trials per task (at `tasks` tasks) and tasks (at `trials` trials) to see a true ratio of geometric means.

    Normal theory for a two-sided paired test over tasks: (z + z)^2 (task + 2 trial / R) / T <= log(ratio)^2.

    Raises:
        ValueError: `ratio` is 1 or not positive: nothing to see.
    """
    if ratio <= 0 or ratio == 1:
        raise ValueError(f"a ratio of {ratio} is no difference")
    quantiles = float(special.ndtri(1 - level / 2) + special.ndtri(power))
    allowed = (math.log(ratio) / quantiles) ** 2  # variance of the mean difference that is small enough
    room = allowed * tasks - parts.task
    enough = None if room <= 0 else max(1, math.ceil(2 * parts.trial / room))
    return Need(ratio, enough, max(2, math.ceil((parts.task + 2 * parts.trial / trials) / allowed)))
