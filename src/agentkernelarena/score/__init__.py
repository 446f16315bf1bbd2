"""Scores: pure functions from one trial's record to a number. One file per policy; its name is the policy's name.

A policy module assigns `TITLE` (one line) and defines ``score(trial: TrialRecord) -> float``. NaN means that the
record cannot say (a floor of an unknown device, a trial that the harness failed); 0 is a score like any other.
"""

from __future__ import annotations

from collections.abc import Callable

from agentkernelarena import plugin
from agentkernelarena.record import TrialRecord


def policies() -> dict[str, str]:
    """Every registered policy by name, with its title."""
    return {name: str(plugin.load("score", name).TITLE) for name in plugin.names("score")}


def score_trial(trial: TrialRecord, policy: str) -> float:
    """Score `trial`; raise `InputError` naming the known policies when there is no such one."""
    score: Callable[[TrialRecord], float] = plugin.load("score", policy).score
    return score(trial)
