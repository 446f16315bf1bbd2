"""From the records of trials to the numbers that statistics take: one `TrialFacts` per planned trial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agentkernelarena import score
from agentkernelarena.record import PlannedTrial, RunRecord, TrialRecord
from agentkernelarena.report.model import Estimated, Quadrants, Rate
from agentkernelarena.result import ConfigurationResult, Gate
from agentkernelarena.score import passed_gate, seen_speedup, unseen_speedup
from agentkernelarena.statistic.estimate import Estimate
from agentkernelarena.statistic.interval import clustered_proportion

# Reports are reproducible: every resampling starts from the same number.
BOOTSTRAP_SEED = 1


@dataclass(frozen=True)
class TrialFacts:
    """A planned trial with its record (None while unfinished) and what follows from it."""

    planned: PlannedTrial
    record: TrialRecord | None
    planned_unseen: int

    @cached_property
    def scores(self) -> dict[str, float]:
        return {p: score.score_trial(self.record, p) for p in score.policies()} if self.record else {}

    @property
    def scored(self) -> bool:
        return self.record is not None and self.record.outcome.status.is_scored

    @property
    def passed(self) -> bool:
        return self.record is not None and self.record.outcome.passed

    def through(self, gate: Gate) -> bool:
        return self.record is not None and passed_gate(self.record, gate)

    @cached_property
    def unseen(self) -> tuple[ConfigurationResult, ...]:
        return self.record.judgement.unseen if self.record and self.record.judgement else ()

    @cached_property
    def seen(self) -> tuple[ConfigurationResult, ...]:
        return self.record.judgement.seen if self.record and self.record.judgement else ()

    @cached_property
    def seen_log(self) -> float | None:
        return _log(seen_speedup(self.record) if self.record else None)

    @cached_property
    def unseen_log(self) -> float | None:
        return _log(unseen_speedup(self.record) if self.record else None)

    def logs(self, stratum: str | None = None) -> list[float]:
        """Logarithms of the speedups of a passing trial: seen ones, or those of one unseen stratum."""
        if not self.passed:
            return []
        chosen = self.seen if stratum is None else [c for c in self.unseen if c.stratum == stratum]
        return [math.log(c.speedup) for c in chosen if c.speedup is not None]

    @cached_property
    def quadrants(self) -> Quadrants:
        """Of the unseen configurations. Those that judging never reached count as planned."""
        return quadrants(self.unseen, max(0, self.planned_unseen - len(self.unseen)))


def _log(value: float | None) -> float | None:
    return None if value is None else math.log(value)


@dataclass(frozen=True)
class TaskFacts:
    """One task of one agent: its planned trials."""

    task: str
    trials: list[TrialFacts] = field(default_factory=list)

    @property
    def category(self) -> str:
        return self.task.partition("/")[0]


def gather(run: RunRecord, records: Iterable[TrialRecord]) -> dict[str, list[TaskFacts]]:
    """Agent -> its tasks, both in the order of the plan."""
    finished = {r.id: r for r in records}
    unseen_by_task: dict[str, int] = {}
    for r in finished.values():
        if r.judgement and r.judgement.unseen:
            unseen_by_task[r.task] = max(unseen_by_task.get(r.task, 0), len(r.judgement.unseen))
    agents: dict[str, dict[str, TaskFacts]] = {}
    for planned in run.plan:
        # Some operators have fewer configurations than were asked for; all trials of a task share one draw.
        count = unseen_by_task.get(planned.task, run.settings.unseen)
        task = agents.setdefault(planned.agent, {}).setdefault(planned.task, TaskFacts(planned.task))
        task.trials.append(TrialFacts(planned, finished.get(planned.id), count))
    return {agent: list(tasks.values()) for agent, tasks in agents.items()}


def quadrants(configurations: Iterable[ConfigurationResult], not_reached: int = 0) -> Quadrants:
    """Count how both sides fared."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for c in configurations:
        counts[c.baseline.outcome.passed, c.submission.outcome.passed] += 1
    return Quadrants(
        both_pass=counts[True, True], regression=counts[True, False], improvement=counts[False, True],
        both_fail=counts[False, False], not_reached=not_reached,
    )


def total(parts: Iterable[Quadrants]) -> Quadrants:
    """Sum of several."""
    every = list(parts)
    return Quadrants(**{name: sum(getattr(q, name) for q in every) for name in Quadrants.model_fields})


def tokens_of(record: TrialRecord) -> int | None:
    """Tokens in and out that a trial's agent used, None where nobody counted."""
    usage = record.agent_status.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def rate(clusters: Sequence[tuple[int, int]]) -> Rate:
    """(successes, planned) of each task as one rate."""
    answer = clustered_proportion(clusters)
    count, planned = sum(s for s, _ in clusters), sum(n for _, n in clusters)
    return Rate(count=count, total=planned, low=answer.low, high=answer.high)


def estimated(estimate: Estimate | None) -> Estimated | None:
    """The record of an estimate."""
    if estimate is None:
        return None
    return Estimated(value=estimate.value, low=estimate.low, high=estimate.high, units=estimate.units)
