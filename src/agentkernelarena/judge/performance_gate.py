"""The performance gate at one configuration: A B B A blocks, every call on fresh values and checked.

Where a buffer lies in memory alone changes a time by several per cent. So both sides visit every buffer set equally
often, on two groups of sets that they exchange half-way, and the ratio is formed per set before it is averaged. Which
side begins, and in which order the sets are visited, is decided by the secret seed. Sampling stops when the interval
of the ratio is narrow enough, or at the cap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentkernelarena.judge.buffer import Buffers
from agentkernelarena.judge.check import Call, check, outcome_of, touched_outcome
from agentkernelarena.judge.compare import baseline_k, expect
from agentkernelarena.judge.compile_gate import Product
from agentkernelarena.judge.correctness_gate import Trials
from agentkernelarena.judge.draw import Source
from agentkernelarena.judge.nursery import WorkerFailed
from agentkernelarena.judge.session import Session, share_overheads
from agentkernelarena.judge.statistic import ratio_interval, trimmed_mean, verdict
from agentkernelarena.result import Gate, Interval, Outcome, Samples, Status, Verdict
from agentkernelarena.target import Target
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.operator import Family
from agentkernelarena.task.task import Task

PASSED = Outcome(status=Status.PASSED, gate=Gate.PERFORMANCE)
# Outputs of more elements than this are compared for a secret third of the timed calls.
_LARGE = 1 << 20
# A reported time may exceed the judge's own bracket by clock granularity only.
_CLOCK_SLACK_US = 5.0
# By how much the judge's bracket of a queued call may exceed the device time, as a share and in microseconds.
BRACKET_SHARE = 0.05
BRACKET_SLACK_US = 15.0
BLOCKING_SLACK_US = 40.0
# Quantile of the submission's calls that counts as quiet; of the baseline's, the median is what is usual.
_QUIET = 0.1


@dataclass
class Side:
    """One contender of the comparison, with the samples taken so far: each call and the buffer set that it used."""

    session: Session
    product: Product
    calls: list[tuple[Call, int]] = field(default_factory=list)
    outcome: Outcome | None = None

    def on_set(self, index: int) -> list[float]:
        return [c.time_us for c, i in self.calls if i == index]

    def samples(self) -> Samples:
        return Samples(
            time_us=tuple(c.time_us for c, _ in self.calls),
            host_us=tuple(c.host_us for c, _ in self.calls),
            wall_us=tuple(c.wall_us for c, _ in self.calls),
            group=tuple(g for _, g in self.calls),
        )

    def excess_us(self, share: float) -> float | None:
        """By how much the judge's bracket exceeds the device time, at the given quantile of the queued calls."""
        excess = sorted(c.wall_us - c.time_us for c, _ in self.calls if c.queued)
        return excess[int(len(excess) * share)] if excess else None

    def time_us(self) -> float | None:
        return trimmed_mean([c.time_us for c, _ in self.calls]) if self.calls else None

    def host_us(self) -> float | None:
        return trimmed_mean([c.host_us for c, _ in self.calls]) if self.calls else None


@dataclass(frozen=True)
class Ratio:
    """What was measured when both sides got through."""

    speedup: float
    interval: Interval
    verdict: Verdict


class Contest:
    """Timing of two sides at one configuration."""

    def __init__(
        self, task: Task, target: Target, cfg: Configuration, buffers: Buffers, trials: Trials, source: Source
    ) -> None:
        self.task, self.target, self.cfg = task, target, cfg
        self.buffers, self.trials, self.source = buffers, trials, source
        self.effort = target.effort(task)
        self.per_group = len(buffers.sets) // self.effort.groups
        self.first = source.number("first set") % self.per_group

    def measure(self, baseline: Side, submission: Side) -> Ratio | None:
        """Sample both sides; None when one of them failed (its `outcome` says how)."""
        effort = self.effort
        sides = (baseline, submission)
        for side in sides:
            self._open(side)
            for turn in range(effort.warmup):
                self._call(side, turn % len(self.buffers.sets), keep=False)
        if any(s.outcome for s in sides):
            return None
        share_overheads([side.session for side in sides], self.buffers)
        blocks = 0
        while blocks < effort.max_blocks:
            for place in range(self.per_group):
                for half in range(effort.groups):
                    self._block(baseline, submission, half, (place + self.first) % self.per_group)
                    if any(s.outcome for s in sides):
                        return None
            blocks += 1
            if blocks >= effort.blocks:
                speedup, interval = self._ratio(baseline, submission)
                if (interval.high - interval.low) / 2 / speedup <= effort.half_width:
                    break
        speedup, interval = self._ratio(baseline, submission)
        self._check_floor(submission)
        self._check_bracket(baseline, submission)
        if submission.outcome:
            return None
        return Ratio(speedup, interval, verdict(interval, effort.half_width))

    def _ratio(self, baseline: Side, submission: Side) -> tuple[float, Interval]:
        sets = range(len(self.buffers.sets))
        return ratio_interval(
            [baseline.on_set(i) for i in sets], [submission.on_set(i) for i in sets], self.source.number("bootstrap")
        )

    def _block(self, baseline: Side, submission: Side, half: int, place: int) -> None:
        """A B B A: the baseline on a set of one group, the submission on its twin, exchanged in the other half."""
        other = (half + 1) % self.effort.groups
        a = baseline, half * self.per_group + place
        b = submission, other * self.per_group + place
        order = (a, b, b, a) if self.source.number("order") & 1 else (b, a, a, b)
        for side, index in order:
            self._call(side, index, keep=True)
            if side.outcome:
                return

    def _open(self, side: Side) -> None:
        try:
            artefact = side.product.timed(self.task, self.cfg)
            side.session.open(artefact, self.buffers, list(range(len(self.buffers.sets))))
        except WorkerFailed as failure:
            side.outcome = outcome_of(failure, Gate.PERFORMANCE, side.session.log())
            side.session.close()

    def _call(self, side: Side, index: int, *, keep: bool) -> None:
        if side.outcome:
            return
        case = self.source.case(self.cfg, self._family())
        artefact = side.product.timed(self.task, self.cfg)
        try:
            call = side.session.run(artefact, self.buffers, index, case, position=index, flush=True)
        except WorkerFailed as failure:
            side.outcome = outcome_of(failure, Gate.PERFORMANCE, side.session.log())
            side.session.close()
            return
        if self._skip_comparison():
            side.outcome = touched_outcome(call, Gate.PERFORMANCE) or self._clock(call)
            if keep:
                side.calls.append((call, index))
            return
        expected = expect(self.task, self.cfg, case, self.trials.sensitivity)
        # The baseline is ours: a draw on which it needs more than its own calibration says nothing about anybody.
        k_acc = baseline_k(self.task, self.cfg) if side.session.side == "baseline" else self.trials.k_acc
        found = check(call, expected, k_acc, f"{case.label}, while timed", Gate.PERFORMANCE)
        side.outcome = found.outcome or self._clock(call)
        if keep:
            side.calls.append((call, index))

    def right_alone(self, baseline: Side) -> bool:
        """Whether a baseline that failed beside the submission is right once the submission's worker is gone."""
        again = Side(baseline.session, baseline.product)
        self.buffers.wipe()
        self._open(again)
        for group in range(self.effort.groups):
            self._call(again, group, keep=False)
        return again.outcome is None

    def _skip_comparison(self) -> bool:
        """Whether the results of a call that has just ended go uncompared: two thirds of them where outputs are large.

        The choice follows from the secret seed and is made after the call, so a worker cannot know which calls count.
        """
        elements = sum(spec.elements for spec in self.buffers.outputs)
        return elements > _LARGE and self.source.number("compare") % 3 != 0

    def _family(self) -> Family:
        allowed = self.task.operator.families
        return Family.NORMAL if Family.NORMAL in allowed or not allowed else allowed[0]

    def _clock(self, call: Call) -> Outcome | None:
        """A time that the worker reported has to fit into the judge's own bracket."""
        if self.target.queued and not call.queued and call.time_us > call.wall_us + _CLOCK_SLACK_US:
            seen = f"{call.wall_us:.1f} us by the judge's clock"
            reason = f"the worker reports {call.time_us:.1f} us for a call that took {seen}"
            return Outcome(status=Status.TIMING_INCONSISTENT, reason=reason, gate=Gate.PERFORMANCE)
        return None

    def _check_bracket(self, baseline: Side, submission: Side) -> None:
        """Over all queued calls, the judge's own bracket has to say what the worker's events say.

        The bracket ends when the judge itself holds the outputs, so work that was left for later lengthens it. What
        the outputs' way back costs beyond an empty call's shows on the baseline, which is ours. Context switches and
        the host's scheduling lengthen single brackets too, so it is the quiet calls that count.
        """
        if submission.outcome:
            return
        excess, usual = submission.excess_us(_QUIET), baseline.excess_us(0.5)
        if excess is None:
            return
        claimed = submission.time_us() or 0.0
        allowed = claimed * BRACKET_SHARE + BRACKET_SLACK_US + (BLOCKING_SLACK_US if usual is None else max(0.0, usual))
        if excess > allowed:
            reason = (
                f"device events say {claimed:.1f} us a call; by the judge's clock it is at least {excess:.1f} us more"
            )
            submission.outcome = Outcome(status=Status.TIMING_INCONSISTENT, reason=reason, gate=Gate.PERFORMANCE)

    def _check_floor(self, side: Side) -> None:
        floor_us = self.target.floor_us(self.task, self.cfg)
        time_us = side.time_us()
        if floor_us is not None and time_us is not None and time_us < floor_us:
            reason = (
                f"{time_us:.2f} us is below the physical floor of {floor_us:.2f} us of this operator on this device"
            )
            side.outcome = Outcome(status=Status.IMPOSSIBLE_TIME, reason=reason, gate=Gate.PERFORMANCE)
