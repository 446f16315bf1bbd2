"""The report of one task of one agent: its trials, its configurations, its verdict."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from agentkernelarena.record import NullBand
from agentkernelarena.report.facts import (
    TaskFacts,
    TrialFacts,
    estimated,
    quadrants,
    rate,
    tokens_of,
    total,
)
from agentkernelarena.report.model import (
    ConfigurationReport,
    Estimated,
    Generalisation,
    Quadrants,
    TaskReport,
    TrialReport,
    Worst,
)
from agentkernelarena.result import ConfigurationResult
from agentkernelarena.statistic.bootstrap import exponential
from agentkernelarena.statistic.interval import student_mean
from agentkernelarena.task.axis import Configuration

_SHORT_US = 10.0
"""Below this baseline time the null band of short kernels applies (the judge's own limit for its intervals)."""


def task_report(task: TaskFacts, null_band: NullBand | None, ranked: bool) -> TaskReport:
    """Everything about one task of one agent."""
    seen, source = _estimate(task.trials, lambda t: t.seen_log, lambda t: t.seen)
    unseen, _ = _estimate(task.trials, lambda t: t.unseen_log, lambda t: t.unseen)
    retained = [t.unseen_log - t.seen_log for t in task.trials if t.unseen_log is not None and t.seen_log is not None]
    count = total(t.quadrants for t in task.trials)
    band = _band(task, null_band)
    configurations = _configurations(task)
    passed = sum(t.passed for t in task.trials)
    light = [v for t in task.trials if t.passed and not math.isnan(v := t.scores["speed_of_light"])]
    return TaskReport(
        task=task.task, category=task.category, planned=len(task.trials), passed=passed, outcomes=_outcomes(task),
        generalisation=Generalisation(
            seen=seen, unseen=unseen,
            retention=estimated(exponential(student_mean(retained))) if retained else None, quadrants=count,
            correct=rate([(t.quadrants.correct, t.quadrants.planned) for t in task.trials]),
            conditional=rate(
                [(t.quadrants.both_pass, t.quadrants.both_pass + t.quadrants.regression) for t in task.trials]
            ),
        ),
        speed_of_light=math.fsum(light) / len(light) if light else None,
        verdict=_verdict(task, seen, band, ranked), null_band=band, interval_from=source,
        worst=worst_of([w for c in configurations if not c.seen and (w := _as_worst(task.task, c))]),
        configurations=configurations, trials=tuple(map(_trial, task.trials)),
    )


def _outcomes(task: TaskFacts) -> dict[str, int]:
    counts: dict[str, int] = {}
    for trial in task.trials:
        name = trial.record.outcome.status.value if trial.record else "unfinished"
        counts[name] = counts.get(name, 0) + 1
    return counts


def _estimate(
    trials: Sequence[TrialFacts], log: Callable[[TrialFacts], float | None],
    configurations: Callable[[TrialFacts], Sequence[ConfigurationResult]],
) -> tuple[Estimated | None, str]:
    """Geometric-mean speedup of the passing trials, and where its interval comes from."""
    kept = [(t, value) for t in trials if (value := log(t)) is not None]
    if not kept:
        return None, ""
    if len(kept) > 1:
        return estimated(exponential(student_mean([value for _, value in kept]))), "trials"
    trial, value = kept[0]
    half = _measurement_half_width([c for c in configurations(trial) if c.speedup is not None])
    if half is None:
        return Estimated(value=math.exp(value), units=1), ""
    ends = math.exp(value - half), math.exp(value + half)
    return Estimated(value=math.exp(value), low=ends[0], high=ends[1], units=1), "measurement"


def _measurement_half_width(configurations: Sequence[ConfigurationResult]) -> float | None:
    """Half-width of the log of the mean speedup: the configurations' own intervals added in quadrature."""
    widths = [
        math.log(c.interval.high / c.interval.low) / 2 for c in configurations if c.interval and c.interval.low > 0
    ]
    if not widths or len(widths) < len(configurations):
        return None
    return math.sqrt(math.fsum(w * w for w in widths)) / len(widths)


def _band(task: TaskFacts, null_band: NullBand | None) -> float | None:
    """The widest null band of the task's seen configurations."""
    if null_band is None:
        return None
    times = [c.baseline.time_us for t in task.trials for c in t.seen if c.baseline.time_us is not None]
    return max(null_band.short_kernels if u < _SHORT_US else null_band.long_kernels for u in times) if times else None


def _verdict(task: TaskFacts, seen: Estimated | None, band: float | None, ranked: bool) -> str:
    if all(t.record is None for t in task.trials):
        return "unfinished"
    if seen is None:
        return "failed"
    if not ranked:
        return "smoke"
    if abs(seen.value - 1.0) <= (band or 0.0):
        return "no change"
    if seen.low is not None and seen.high is not None and seen.low <= 1.0 <= seen.high:
        return "unclear"
    return "faster" if seen.value > 1.0 else "slower"


def _configurations(task: TaskFacts) -> tuple[ConfigurationReport, ...]:
    """Every configuration of the task over its trials, seen ones first, in the order in which they were judged."""
    found: dict[tuple[str, str], list[tuple[bool, ConfigurationResult]]] = {}
    for trial in task.trials:
        for c in (*trial.seen, *trial.unseen):
            found.setdefault((c.name, Configuration(c.configuration).digest), []).append((trial.passed, c))
    reached = sum(bool(t.seen or t.unseen) for t in task.trials)
    ordered = sorted(found.values(), key=lambda results: not results[0][1].seen)
    return tuple(_configuration(results, max(0, reached - len(results))) for results in ordered)


def _configuration(results: Sequence[tuple[bool, ConfigurationResult]], missing: int) -> ConfigurationReport:
    first = results[0][1]
    every = [c for _, c in results]
    timed = [c for passed, c in results if passed and c.speedup is not None]
    speedup = low = high = None
    if timed:
        answer = exponential(student_mean([math.log(c.speedup) for c in timed if c.speedup is not None]))
        speedup, low, high = answer.value, answer.low, answer.high
        if len(timed) == 1 and timed[0].interval:
            low, high = timed[0].interval.low, timed[0].interval.high
    return ConfigurationReport(
        name=first.name, label=Configuration(first.configuration).label, seen=first.seen, stratum=first.stratum,
        quadrants=quadrants(every, missing), speedup=speedup, low=low, high=high,
        baseline_us=_median([c.baseline.time_us for c in timed]),
        submission_us=_median([c.submission.time_us for c in timed]), floor_us=_median([c.floor_us for c in every]),
        reason=next((_reason(c) for c in every if not c.submission.outcome.passed), ""),
    )


def _reason(result: ConfigurationResult) -> str:
    outcome = result.submission.outcome
    return f"{outcome.status.value}: {outcome.reason}" if outcome.reason else outcome.status.value


def _median(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def _as_worst(task: str, c: ConfigurationReport) -> Worst | None:
    if c.quadrants.regression:
        return Worst(task=task, name=c.name, label=c.label, stratum=c.stratum, speedup=None, reason=c.reason)
    if c.speedup is None:
        return None
    return Worst(task=task, name=c.name, label=c.label, stratum=c.stratum, speedup=c.speedup)


def worst_of(candidates: Sequence[Worst]) -> Worst | None:
    """A failure if there is one, else the lowest speedup."""
    return min(candidates, key=lambda w: -1.0 if w.speedup is None else w.speedup, default=None)


def _trial(trial: TrialFacts) -> TrialReport:
    record, planned = trial.record, trial.planned
    if record is None:
        return TrialReport(
            id=planned.id, repetition=planned.repetition, status="unfinished", unseen_planned=trial.planned_unseen
        )
    usage = record.agent_status.usage
    q: Quadrants = trial.quadrants
    return TrialReport(
        id=planned.id, repetition=planned.repetition, status=record.outcome.status.value,
        gate=record.outcome.gate.value if record.outcome.gate else "", reason=record.outcome.reason,
        seen_speedup=None if trial.seen_log is None else math.exp(trial.seen_log),
        unseen_speedup=None if trial.unseen_log is None else math.exp(trial.unseen_log),
        unseen_correct=q.correct, unseen_planned=q.planned,
        scores={name: None if math.isnan(v) else v for name, v in trial.scores.items()},
        agent_status=record.agent_status.status, agent_seconds=record.agent_status.seconds,
        judge_seconds=record.judgement.seconds if record.judgement else None,
        tokens=tokens_of(record), cost_usd=usage.cost_usd,
    )
