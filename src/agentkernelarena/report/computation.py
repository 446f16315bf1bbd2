"""Computes the report of a run from its records alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from agentkernelarena.record import Reveal, RunRecord, TrialRecord
from agentkernelarena.report.facts import (
    BOOTSTRAP_SEED,
    TaskFacts,
    TrialFacts,
    estimated,
    gather,
    quadrants,
    rate,
    tokens_of,
    total,
)
from agentkernelarena.report.model import (
    AgentReport,
    Estimated,
    FastP,
    Generalisation,
    GroupReport,
    Report,
    Several,
    StratumReport,
    UsageReport,
)
from agentkernelarena.report.tasks import task_report, worst_of
from agentkernelarena.result import Gate, Status
from agentkernelarena.score import fast_p
from agentkernelarena.statistic.bootstrap import exponential, hierarchical
from agentkernelarena.statistic.estimate import Estimate
from agentkernelarena.statistic.several import best_of_k, pass_at_k
from agentkernelarena.store import Store
from agentkernelarena.task.unseen import Stratum

UNFINISHED = "unfinished"


def build(store: Store) -> Report:
    """The report of a run, finished or not."""
    return compute(store.run, store.trials(), store.reveal)


def compute(run: RunRecord, records: Iterable[TrialRecord], reveal: Reveal | None = None) -> Report:
    """The report of `run` from the records of its finished trials."""
    agents = gather(run, records)
    facts = [t for tasks in agents.values() for task in tasks for t in task.trials]
    judged = [t.record.judgement for t in facts if t.record and t.record.judgement]
    ranked = bool(judged) and all(j.ranked for j in judged)
    return Report(
        run=run.id, created=run.created, target=run.settings.target, ranked=ranked, device=run.device,
        versions=run.versions, draw=run.settings.draw, commitment=run.commitment,
        revealed=bool(reveal and reveal.seed), unseen=run.settings.unseen, trials=run.settings.trials,
        planned=len(run.plan), finished=sum(t.record is not None for t in facts), null_band=run.null_band,
        notes=tuple(_notes(run, facts, ranked, bool(judged), reveal)),
        agents=tuple(_agent(run, name, tasks, ranked) for name, tasks in agents.items()),
    )


def _notes(
    run: RunRecord, facts: Sequence[TrialFacts], ranked: bool, judged: bool, reveal: Reveal | None
) -> Iterable[str]:
    if judged and not ranked:
        yield (
            f"Smoke run: times on target {run.settings.target} show that everything works. They are not ranked and say "
            "nothing about speed on a GPU."
        )
    if unfinished := sum(t.record is None for t in facts):
        yield f"{unfinished} of {len(facts)} planned trials are unfinished; every rate counts them as not passed."
    if faults := sum(t.record is not None and not t.scored for t in facts):
        yield f"{faults} trials failed through the harness: every rate counts them as not passed; none is scored."
    if ranked and run.null_band is None:
        yield "No A/A control of this machine is on record (aka calibrate), so small speedups may be noise."
    if run.settings.draw == "secret":
        yield "The unseen configurations are a secret draw: only holders of its file can recompute them."
    elif reveal is None and not any(t.record is None for t in facts):
        yield "The seed of this run has not been revealed, so its draw cannot be recomputed yet."
    if run.settings.seed is not None and run.settings.draw == "random":
        yield "The settings fix the seed, so the unseen configurations were known beforehand: not for results."


def _agent(run: RunRecord, name: str, tasks: Sequence[TaskFacts], ranked: bool) -> AgentReport:
    settings = next((a for a in run.settings.agents if a.name == name), None)
    categories: dict[str, list[TaskFacts]] = {}
    for task in tasks:
        categories.setdefault(task.category, []).append(task)
    reports = tuple(task_report(task, run.null_band, ranked) for task in tasks)
    return AgentReport(
        name=name, agent=settings.agent if settings else name, model=settings.model if settings else "",
        overall=group_report("all", tasks),
        categories=tuple(group_report(name, members) for name, members in sorted(categories.items())),
        strata=tuple(_stratum(s.value, tasks) for s in Stratum if any(_of(t, s.value) for t in _trials(tasks))),
        several=tuple(_several(tasks, run.settings.trials)), fast_p_curve=_curve(tasks),
        worst=worst_of([r.worst for r in reports if r.worst]), usage=_usage(tasks), tasks=reports,
    )


def _trials(tasks: Iterable[TaskFacts]) -> Iterable[TrialFacts]:
    return (trial for task in tasks for trial in task.trials)


def _of(trial: TrialFacts, stratum: str) -> bool:
    return any(c.stratum == stratum for c in trial.unseen)


def over_trials(tasks: Iterable[TaskFacts], number: Callable[[TrialFacts], float | None]) -> Estimate | None:
    """Mean over tasks of the mean over trials of `number`, where it is one; None where it nowhere is."""
    values = [[n for t in task.trials if (n := number(t)) is not None and not math.isnan(n)] for task in tasks]
    kept = [[[n] for n in task] for task in values if task]
    return hierarchical(kept, BOOTSTRAP_SEED) if kept else None


def _speedup(tasks: Iterable[TaskFacts], log: Callable[[TrialFacts], float | None]) -> Estimated | None:
    answer = over_trials(tasks, log)
    return estimated(exponential(answer)) if answer else None


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def generalisation(tasks: Sequence[TaskFacts]) -> Generalisation:
    """Seen beside unseen for a set of tasks."""
    by_task = [total(t.quadrants for t in task.trials) for task in tasks]
    return Generalisation(
        seen=_speedup(tasks, lambda t: t.seen_log), unseen=_speedup(tasks, lambda t: t.unseen_log),
        retention=_speedup(tasks, lambda t: _difference(t.unseen_log, t.seen_log)), quadrants=total(by_task),
        correct=rate([(q.correct, q.planned) for q in by_task]),
        conditional=rate([(q.both_pass, q.both_pass + q.regression) for q in by_task]),
    )


def group_report(name: str, tasks: Sequence[TaskFacts]) -> GroupReport:
    """The headline numbers of a set of tasks."""
    trials = list(_trials(tasks))

    def share(holds: Callable[[TrialFacts], bool]) -> list[tuple[int, int]]:
        return [(sum(map(holds, task.trials)), len(task.trials)) for task in tasks]

    def mean(policy: str) -> Estimate | None:
        return over_trials(tasks, lambda t: t.scores.get(policy))

    gain = mean("gain")
    light = over_trials(tasks, lambda t: t.scores.get("speed_of_light") if t.passed else None)
    return GroupReport(
        name=name, tasks=len(tasks), planned=len(trials), unscored=sum(not t.scored for t in trials),
        outcomes=outcomes(trials), compiled=rate(share(lambda t: t.through(Gate.COMPILE))),
        correct=rate(share(lambda t: t.through(Gate.CORRECTNESS))), passed=rate(share(lambda t: t.passed)),
        delivered=estimated(_power_of_two(gain)), gain=estimated(gain), paper=estimated(mean("paper")),
        speed_of_light=estimated(light),
        fast_p=tuple(
            FastP(p=p, rate=rate(share(lambda t, p=p: t.scores.get("fast_p", 0.0) >= p)))  # type: ignore[misc]
            for p in fast_p.THRESHOLDS
        ),
        generalisation=generalisation(tasks),
    )


def _power_of_two(gain: Estimate | None) -> Estimate | None:
    if gain is None:
        return None
    low, high = gain.low, gain.high
    return Estimate(2**gain.value, None if low is None else 2**low, None if high is None else 2**high, gain.units)


def outcomes(trials: Iterable[TrialFacts]) -> dict[str, int]:
    """Counts of each outcome that occurs, in the order of `Status`, unfinished last."""
    counts = Counter(t.record.outcome.status.value if t.record else UNFINISHED for t in trials)
    return {name: counts[name] for name in (*(s.value for s in Status), UNFINISHED) if counts[name]}


def _stratum(name: str, tasks: Sequence[TaskFacts]) -> StratumReport:
    def log(trial: TrialFacts) -> float | None:
        logs = trial.logs(name)
        return math.fsum(logs) / len(logs) if logs else None

    by_task = [total(quadrants(c for c in t.unseen if c.stratum == name) for t in task.trials) for task in tasks]
    return StratumReport(
        stratum=name, speedup=_speedup(tasks, log),
        retention=_speedup(tasks, lambda t: _difference(log(t), t.seen_log)), quadrants=total(by_task),
        conditional=rate([(q.both_pass, q.both_pass + q.regression) for q in by_task]),
    )


def _several(tasks: Sequence[TaskFacts], trials: int) -> Iterable[Several]:
    for k in (k for k in (1, 2, 3, 4, 5, 8, 16, 32, 64) if k <= trials):
        passing = [pass_at_k(len(t.trials), sum(x.passed for x in t.trials), k) for t in tasks if len(t.trials) >= k]
        gains = [[x.scores["gain"] for x in t.trials if x.scored] for t in tasks]
        best = [best_of_k(g, k) for g in gains if len(g) >= k]
        if passing:
            yield Several(
                k=k, pass_at_k=math.fsum(passing) / len(passing),
                best_of_k=2 ** (math.fsum(best) / len(best)) if best else None,
            )


def _curve(tasks: Sequence[TaskFacts]) -> tuple[tuple[float, float], ...]:
    """fast_p at p = 1.00, 1.05, ... 10, evenly in the logarithm."""
    scores = [t.scores.get("fast_p", 0.0) for t in _trials(tasks)]
    points = [round(10 ** (i / 60), 4) for i in range(61)]
    return tuple((p, fast_p.share(scores, len(scores), p)) for p in points)


def _usage(tasks: Sequence[TaskFacts]) -> UsageReport:
    records = [t.record for t in _trials(tasks) if t.record]
    tokens = [n for r in records if (n := tokens_of(r)) is not None]
    costs = [c for r in records if (c := r.agent_status.usage.cost_usd) is not None]
    return UsageReport(
        agent_hours=math.fsum(r.agent_status.seconds for r in records) / 3600,
        judge_hours=math.fsum(r.judgement.seconds for r in records if r.judgement) / 3600,
        tokens=sum(tokens) if tokens else None, cost_usd=math.fsum(costs) if costs else None,
    )
