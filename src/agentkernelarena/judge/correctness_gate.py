"""The correctness gate at one configuration: several draws, every build variant, repeated calls, both sides.

The baseline goes first: it has to be right within the widest bound, and what it needs calibrates the submission's
bound (see `agentkernelarena.judge.compare`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from agentkernelarena.judge.buffer import Buffers
from agentkernelarena.judge.check import check, outcome_of
from agentkernelarena.judge.compare import (
    MAXIMUM_K,
    Expected,
    baseline_k,
    calibrate,
    expect,
    minimum_k,
    sensitivity_ratio,
)
from agentkernelarena.judge.compile_gate import Product
from agentkernelarena.judge.draw import Case, Source
from agentkernelarena.judge.nursery import WorkerFailed
from agentkernelarena.judge.session import Session
from agentkernelarena.result import Gate, Mismatch, Outcome, Status
from agentkernelarena.target import Target
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.operator import Family
from agentkernelarena.task.task import Task

PASSED = Outcome(status=Status.PASSED, gate=Gate.CORRECTNESS)


@dataclass
class Trials:
    """Cases of one configuration with their expected outputs, shared by both sides; and the calibrated bound."""

    cases: list[tuple[Case, dict[str, Expected]]]
    k_acc: float = MAXIMUM_K
    sensitivity: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SideCorrectness:
    """How one side fared: its outcome, the largest error over bound, and the k_acc that it needed."""

    outcome: Outcome
    error_ratio: float | None = None
    needed_k: float = 0.0
    mismatch: Mismatch | None = None


def families(task: Task, count: int, salt: int) -> list[Family]:
    """The first is always the plain one where allowed; the others rotate with `salt` through what is allowed.

    From configuration to configuration the rotation goes on, so that a few of them see every family.
    """
    allowed = list(task.operator.families) or [Family.NORMAL]
    first, rest = allowed[0], allowed[1:]
    if not rest:
        return [first] * max(1, min(count, 2))
    return [first, *(rest[(salt + i) % len(rest)] for i in range(max(0, count - 1)))]


def prepare(task: Task, target: Target, cfg: Configuration, source: Source) -> Trials:
    """Draw the cases of `cfg` and compute what they should give."""
    cases = []
    draws = target.effort(task).draws
    for family in families(task, draws, source.turn(max(1, draws - 1))):
        case = source.case(cfg, family)
        cases.append((case, expect(task, cfg, case)))
    trials = Trials(cases)
    trials.sensitivity = sensitivity_ratio(cases[0][1])
    return trials


def check_side(
    session: Session,
    product: Product,
    task: Task,
    cfg: Configuration,
    buffers: Buffers,
    trials: Trials,
    *,
    baseline: bool,
) -> SideCorrectness:
    """Run every variant on every case, the first case `effort.repeats` times, alternating buffer sets."""
    worst, needed = 0.0, 0.0
    k_acc = baseline_k(task, cfg) if baseline else trials.k_acc
    sets = list(range(len(buffers.sets)))
    try:
        for artefact in product.all(task, cfg):
            session.open(artefact, buffers, sets)
            turn = 0
            for number, (case, expected) in enumerate(trials.cases):
                for repeat in range(session.target.effort(task).repeats if number == 0 else 1):
                    index = sets[turn % len(sets)]
                    turn += 1
                    call = session.run(artefact, buffers, index, case, position=index, flush=False)
                    draw = case.label + (f", call {repeat + 1} on the same values" if repeat else "")
                    found = check(call, expected, k_acc, draw, Gate.CORRECTNESS)
                    if found.outcome is not None:
                        mismatch = found.comparison.mismatch if found.comparison else None
                        return SideCorrectness(found.outcome, mismatch=mismatch)
                    assert found.comparison is not None
                    worst = max(worst, found.comparison.error_ratio)
                    needed = max(needed, found.comparison.needed_k)
    except WorkerFailed as failure:
        outcome = outcome_of(failure, Gate.CORRECTNESS, session.log())
        session.close()
        return SideCorrectness(outcome)
    if baseline:
        trials.k_acc = calibrate(needed, task.operator.bound_factor, minimum_k(task, cfg))
        worst = _relative_to(trials.k_acc, worst, needed)
    return SideCorrectness(PASSED, worst, needed)


def _relative_to(k_acc: float, ratio_at_maximum: float, needed: float) -> float:
    """The baseline's error over the bound that submissions get; at most 1 / bound_factor where calibration rules."""
    if needed <= 0.0 or not math.isfinite(needed):
        return ratio_at_maximum
    return min(1.0, max(ratio_at_maximum, needed / k_acc))
