"""The delivered speedup: geometric mean over the seen configurations, 1 for a trial that did not pass.

Whoever gets a submission that fails keeps the baseline, so it delivers a speedup of 1. That lets every planned trial
count; a mean over the passing trials alone rises when hard tasks fail.
"""

from __future__ import annotations

import math

from agentkernelarena.record import TrialRecord
from agentkernelarena.score._speedup import seen_speedup

TITLE = "delivered speedup: geometric mean over seen configurations, 1 where the trial did not pass"


def score(trial: TrialRecord) -> float:
    """Delivered speedup of one trial; NaN when the harness failed."""
    if not trial.outcome.status.is_scored:
        return math.nan
    speedup = seen_speedup(trial)
    return 1.0 if speedup is None else speedup
