"""fast_p: the share of planned trials that pass and are at least p times faster (Ouyang et al., KernelBench, 2025).

The score of one trial is the largest p for which it counts: its geometric-mean speedup, or 0 if it did not pass. The
share for a p is then that of the scores which reach p.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentkernelarena.record import TrialRecord
from agentkernelarena.score._speedup import seen_speedup

TITLE = "largest p for which the trial counts in fast_p: its speedup, 0 where it did not pass"

THRESHOLDS = (1.0, 1.1, 1.5, 2.0, 5.0)


def score(trial: TrialRecord) -> float:
    """Largest p for which `trial` counts. A trial that the harness failed counts for none."""
    return seen_speedup(trial) or 0.0


def share(scores: Sequence[float], planned: int, p: float) -> float:
    """fast_p at `p` from the scores of the finished trials; the denominator is the plan."""
    return sum(s >= p for s in scores) / planned
