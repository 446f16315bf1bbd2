"""Gain: log2 of the delivered speedup. 0 changes nothing, 1 is twice as fast, -1 half as fast; failures have 0."""

from __future__ import annotations

import math

from agentkernelarena.record import TrialRecord
from agentkernelarena.score import headline

TITLE = "log2 of the delivered speedup"


def score(trial: TrialRecord) -> float:
    """Gain of one trial; NaN when the harness failed."""
    delivered = headline.score(trial)
    return math.nan if math.isnan(delivered) else math.log2(delivered)
