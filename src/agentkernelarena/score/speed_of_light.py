"""Speed-of-light fraction: physical floor / submission time, geometric mean over the seen configurations.

The floor is the larger of compulsory bytes over measured bandwidth and operations over the measured peak rate. 1 would
be the hardware's limit; 0 is a trial that did not pass.
"""

from __future__ import annotations

import math

from agentkernelarena.record import TrialRecord
from agentkernelarena.score._speedup import geometric_mean

TITLE = "physical floor / submission time, geometric mean over seen configurations; 0 where the trial did not pass"


def score(trial: TrialRecord) -> float:
    """Fraction of one trial; NaN when the harness failed or the device's peaks are not known."""
    if not trial.outcome.status.is_scored:
        return math.nan
    if not trial.outcome.passed or trial.judgement is None:
        return 0.0
    mean = geometric_mean(
        c.floor_us / c.submission.time_us for c in trial.judgement.seen if c.floor_us and c.submission.time_us
    )
    return math.nan if mean is None else mean
