"""The published benchmark's score: 0, 20, or 120 + 100 x the mean speedup over the seen configurations.

0: nothing that compiles (or a tampered trial). 20: compiles, wrong. 120: right, but its time cannot be used (timeout,
inconsistent or impossible times). The mean is arithmetic, as published, so a submission that changes nothing has 220.
"""

from __future__ import annotations

import math

from agentkernelarena.record import TrialRecord
from agentkernelarena.result import Gate, Status
from agentkernelarena.score._speedup import passed_gate

TITLE = "0 / 20 / 120 + 100 x mean speedup, as the published benchmark scores"


def score(trial: TrialRecord) -> float:
    """Points of one trial; NaN when the harness failed."""
    if not trial.outcome.status.is_scored:
        return math.nan
    if trial.outcome.status is Status.TAMPERED or not passed_gate(trial, Gate.COMPILE):
        return 0.0
    if not passed_gate(trial, Gate.CORRECTNESS):
        return 20.0
    if not trial.outcome.passed or trial.judgement is None:
        return 120.0
    speedups = [c.speedup for c in trial.judgement.seen if c.speedup is not None]
    return 120.0 + (100.0 * math.fsum(speedups) / len(speedups) if speedups else 0.0)
