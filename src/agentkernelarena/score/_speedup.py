"""Speedups of one trial: geometric means over its configurations."""

from __future__ import annotations

import math
from collections.abc import Iterable

from agentkernelarena.record import TrialRecord
from agentkernelarena.result import ConfigurationResult, Gate


def geometric_mean(values: Iterable[float]) -> float | None:
    """Geometric mean of positive numbers, None of none."""
    logs = [math.log(v) for v in values]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def mean_of(configurations: Iterable[ConfigurationResult]) -> float | None:
    """Geometric mean of the speedups that were measured, None where none was."""
    return geometric_mean(c.speedup for c in configurations if c.speedup is not None)


def seen_speedup(trial: TrialRecord) -> float | None:
    """Geometric-mean speedup over the seen configurations of a trial that passed, else None."""
    if not trial.outcome.passed or trial.judgement is None:
        return None
    return mean_of(trial.judgement.seen)


def unseen_speedup(trial: TrialRecord) -> float | None:
    """Geometric-mean speedup over those unseen configurations where both sides passed, of a trial that passed."""
    if not trial.outcome.passed or trial.judgement is None:
        return None
    return mean_of(trial.judgement.unseen)


def passed_gate(trial: TrialRecord, gate: Gate) -> bool:
    """Whether the submission got through `gate`. A passed trial got through all of them."""
    if trial.outcome.passed:
        return True
    if trial.judgement is None:
        return False
    return any(g.gate is gate and g.outcome.passed for g in trial.judgement.gates)
