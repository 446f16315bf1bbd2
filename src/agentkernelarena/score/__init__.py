"""Scores: pure functions from one trial's record to a number. One file per policy; its name is the policy's name.

A policy module assigns `TITLE` (one line) and defines ``score(trial: TrialRecord) -> float``. NaN means that the
record cannot say (a floor of an unknown device, a trial that the harness failed); 0 is a score like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType

from agentkernelarena import plugin
from agentkernelarena.record import TrialRecord
from agentkernelarena.score._speedup import passed_gate, seen_speedup, unseen_speedup

__all__ = ["passed_gate", "policies", "score_trial", "seen_speedup", "unseen_speedup"]


def policies() -> dict[str, str]:
    """Every registered policy by name, with its title."""
    return {name: str(_module(name).TITLE) for name in _names()}


def score_trial(trial: TrialRecord, policy: str) -> float:
    """Score `trial`; raise `InputError` naming the known policies when there is no such one."""
    score: Callable[[TrialRecord], float] = _module(policy).score
    return score(trial)


@cache
def _names() -> tuple[str, ...]:
    return tuple(plugin.names("score"))


@cache
def _module(policy: str) -> ModuleType:
    # Looking up entry points reads every installed distribution: far too slow for once a trial.
    return plugin.load("score", policy)
