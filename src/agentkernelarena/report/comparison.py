"""Two contenders on the same tasks: which delivers more, by how much, and is that more than chance?

Pairs are made by task and configuration; each pair is a difference of logarithms of delivered speedups (1 where a
trial did not pass), averaged over trials, then over the configurations of the task. Tasks are the independent units:
configurations of one task hang together, so neither the interval nor the test counts them as separate evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.record import RunRecord
from agentkernelarena.report.facts import BOOTSTRAP_SEED, TaskFacts, TrialFacts, estimated, gather, rate
from agentkernelarena.report.model import Estimated, Rate
from agentkernelarena.result import ConfigurationResult, Record
from agentkernelarena.statistic.bootstrap import bootstrap_mean, exponential
from agentkernelarena.statistic.paired import holm, wilcoxon
from agentkernelarena.statistic.power import need, spread
from agentkernelarena.store import Store
from agentkernelarena.task.axis import Configuration

LEVEL = 0.05
LEAST_TASKS = 6
"""With fewer tasks the exact Wilcoxon test cannot go below 5 %."""
POWER_RATIOS = (1.05, 1.1, 1.2, 1.5)


class Claim(Record):
    """`ratio` = first / second (geometric means) with its interval over tasks, and Wilcoxon's p over tasks.

    p_adjusted: after Holm's correction over the categories (equal to p where there is one claim). verdict: first,
    second, or none where the interval holds 1 or p_adjusted is above 5 %.
    """

    name: str
    tasks: int
    first: float
    second: float
    ratio: Estimated
    p_value: float
    p_adjusted: float
    verdict: str


class PairedTask(Record):
    """One task: delivered speedups of both, over `pairs` configurations and the trials of each."""

    task: str
    category: str
    pairs: int
    first: float
    second: float
    ratio: float
    passed: tuple[int, int]
    planned: tuple[int, int]


class Contender(Record):
    """One side of a comparison."""

    run: str
    agent: str
    passed: Rate


class PowerNeed(Record):
    """To see a true ratio with 80 % power: trials per task on these tasks (None: no number is enough), or tasks."""

    ratio: float
    trials: int | None
    tasks: int


class Comparison(Record):
    """The answer. differences: what the two runs do not share (only with `force`). pass_difference: first - second."""

    schema_version: int = 1
    first: Contender
    second: Contender
    ranked: bool
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    overall: Claim
    where_both_pass: Claim | None
    unseen: Claim | None
    categories: tuple[Claim, ...]
    pass_difference: Estimated
    pass_p_value: float
    power: tuple[PowerNeed, ...]
    tasks: tuple[PairedTask, ...]


def differences(a: RunRecord, b: RunRecord) -> list[str]:
    """What makes two runs incomparable, one line each."""
    pairs = [
        ("suite", a.versions.suite[:12], b.versions.suite[:12]), ("target", a.settings.target, b.settings.target),
        ("protocol", a.versions.protocol, b.versions.protocol), ("device", a.device.name, b.device.name),
    ]
    found = [f"{name}: {x} and {y}" for name, x, y in pairs if x != y]
    changed = [t for t, d in a.task_digests.items() if b.task_digests.get(t, d) != d]
    if changed and a.versions.suite == b.versions.suite:
        found.append(f"task files: {', '.join(changed)}")
    return found


def compare(
    a: Store, b: Store, agent_a: str | None = None, agent_b: str | None = None, *, force: bool = False
) -> Comparison:
    """Compare agent `agent_a` of run `a` with `agent_b` of run `b`.

    An agent may be left out where its run has one; for two agents of one run give the run twice.

    Raises:
        InputError: the runs differ in suite, target, device or protocol and `force` is not set (the message says in
            what), share no task, or an agent is unknown or not named among several.
    """
    runs = a.run, b.run
    unlike = differences(*runs)
    if unlike and not force:
        problem = f"cannot be compared: {'; '.join(unlike)}"
        raise InputError(f"{a.folder} and {b.folder}", problem, "--force, if you must")
    sides = []
    for store, run, agent in ((a, runs[0], agent_a), (b, runs[1], agent_b)):
        agents = gather(run, store.trials())
        sides.append((store, run, _chosen(store, list(agents), agent), agents))
    (name_a, tasks_a), (name_b, tasks_b) = ((name, agents[name]) for _, _, name, agents in sides)
    return compare_facts(tasks_a, tasks_b, (runs[0].id, runs[1].id), (name_a, name_b), unlike)


def compare_facts(
    first: Sequence[TaskFacts], second: Sequence[TaskFacts], runs: tuple[str, str] = ("A", "B"),
    names: tuple[str, str] = ("A", "B"), unlike: Sequence[str] = (),
) -> Comparison:
    """Compare two contenders by the facts of their tasks; raise `InputError` where they share no scored task."""
    others = {t.task: t for t in second}
    shared = [(t, others[t.task]) for t in first if t.task in others]
    if not shared:
        raise InputError(f"{runs[0]} and {runs[1]}", "share no task", "compare runs over the same tasks")
    drawn = [(_unseen_digests(x), _unseen_digests(y)) for x, y in shared]
    same_draw = all(x == y or not x or not y for x, y in drawn)
    return _comparison(runs, names, shared, unlike, same_draw)


def _chosen(store: Store, agents: list[str], wanted: str | None) -> str:
    if wanted is None:
        if len(agents) == 1:
            return agents[0]
        raise InputError(str(store.folder), f"has several agents: {', '.join(agents)}", "say which to compare")
    if wanted not in agents:
        raise InputError(f"agent {wanted!r}", f"is not in {store.folder}", nearest(wanted, agents))
    return wanted


def _unseen_digests(task: TaskFacts) -> set[str]:
    return {Configuration(c.configuration).digest for t in task.trials for c in t.unseen}


@dataclass(frozen=True)
class _Pair:
    """One task's mean log delivered speedups, paired over its configurations."""

    task: str
    first: float
    second: float
    configurations: int

    @property
    def difference(self) -> float:
        return self.first - self.second


def _comparison(
    runs: tuple[str, str], names: tuple[str, str], shared: list[tuple[TaskFacts, TaskFacts]], unlike: Sequence[str],
    same_draw: bool,
) -> Comparison:
    pairs = [_paired(x, y, lambda t: t.seen, delivered=True) for x, y in shared]
    both = [p for x, y in shared if (p := _paired(x, y, lambda t: t.seen, delivered=False)) is not None]
    unseen = [_paired(x, y, lambda t: t.unseen, delivered=True) for x, y in shared] if same_draw else []
    ranked = all(
        t.record.judgement.ranked for x, y in shared for t in (*x.trials, *y.trials) if t.record and t.record.judgement
    )
    kept = [p for p in pairs if p]
    if not kept:
        raise InputError(f"{runs[0]} and {runs[1]}", "have no task where both were scored", "let the runs finish")
    shares = [(_share(x), _share(y)) for x, y in shared]
    gap = bootstrap_mean([s - t for s, t in shares], BOOTSTRAP_SEED)
    return Comparison(
        first=Contender(run=runs[0], agent=names[0], passed=_rate([x for x, _ in shared])),
        second=Contender(run=runs[1], agent=names[1], passed=_rate([y for _, y in shared])),
        ranked=ranked, differences=tuple(unlike), notes=tuple(_notes(ranked, len(kept), same_draw, len(shared))),
        overall=_claim("all", kept, ranked), where_both_pass=_claim("where both pass", both, ranked) if both else None,
        unseen=_claim("unseen", done, ranked) if (done := [p for p in unseen if p]) else None,
        categories=_categories(kept, ranked),
        pass_difference=Estimated(value=gap.value, low=gap.low, high=gap.high, units=gap.units),
        pass_p_value=wilcoxon([s - t for s, t in shares]).p_value, power=tuple(_power(shared)),
        tasks=tuple(_task(x, y, p) for (x, y), p in zip(shared, pairs, strict=True) if p),
    )


def _paired(
    x: TaskFacts, y: TaskFacts, which: Callable[[TrialFacts], Sequence[ConfigurationResult]], *, delivered: bool
) -> _Pair | None:
    """The pair of one task; None where a side has no trial that counts, or (not delivered) none that passed."""
    tables = [[_speeds(t, which) for t in side.trials if (t.scored if delivered else t.passed)] for side in (x, y)]
    if not all(tables):
        return None
    keys = {key for table in tables for speeds in table for key in speeds}
    if not delivered:
        keys = {k for k in keys if all(any(k in speeds for speeds in table) for table in tables)}
        if not keys:
            return None
    means = [[_mean_at(table, key, delivered) for key in sorted(keys)] or [0.0] for table in tables]
    first, second = (math.fsum(m) / len(m) for m in means)
    return _Pair(x.task, first, second, len(keys))


def _speeds(
    trial: TrialFacts, which: Callable[[TrialFacts], Sequence[ConfigurationResult]]
) -> dict[tuple[str, str], float]:
    if not trial.passed:
        return {}
    return {
        (c.name, Configuration(c.configuration).digest): math.log(c.speedup)
        for c in which(trial) if c.speedup is not None
    }


def _mean_at(table: list[dict[tuple[str, str], float]], key: tuple[str, str], delivered: bool) -> float:
    values = [speeds.get(key, 0.0) for speeds in table] if delivered else [s[key] for s in table if key in s]
    return math.fsum(values) / len(values)


def _claim(name: str, pairs: Sequence[_Pair], ranked: bool) -> Claim:
    values = [p.difference for p in pairs]
    ratio = exponential(bootstrap_mean(values, BOOTSTRAP_SEED))
    p_value = wilcoxon(values).p_value
    answer = Claim(
        name=name, tasks=len(pairs), first=math.exp(math.fsum(p.first for p in pairs) / len(pairs)),
        second=math.exp(math.fsum(p.second for p in pairs) / len(pairs)),
        ratio=estimated(ratio) or Estimated(value=ratio.value), p_value=p_value, p_adjusted=p_value, verdict="",
    )
    return answer.model_copy(update={"verdict": _verdict(answer, ranked)})


def _verdict(claim: Claim, ranked: bool) -> str:
    low, high = claim.ratio.low, claim.ratio.high
    if not ranked or low is None or high is None or claim.p_adjusted > LEVEL or low <= 1.0 <= high:
        return "none"
    return "first" if low > 1.0 else "second"


def _categories(pairs: Sequence[_Pair], ranked: bool) -> tuple[Claim, ...]:
    groups: dict[str, list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.task.partition("/")[0], []).append(pair)
    claims = [_claim(name, members, ranked) for name, members in sorted(groups.items())]
    adjusted = holm([c.p_value for c in claims])
    corrected = [c.model_copy(update={"p_adjusted": p}) for c, p in zip(claims, adjusted, strict=True)]
    return tuple(c.model_copy(update={"verdict": _verdict(c, ranked)}) for c in corrected)


def _notes(ranked: bool, tasks: int, same_draw: bool, shared: int) -> list[str]:
    notes = []
    if not ranked:
        notes.append("Smoke times are never ranked: this comparison says nothing about which contender is faster.")
    if tasks < LEAST_TASKS:
        notes.append(f"{tasks} tasks are too few for any difference to be significant; {LEAST_TASKS} is the least.")
    if not same_draw:
        notes.append("The runs drew different unseen configurations, so only seen ones are compared.")
    if tasks < shared:
        notes.append(f"{shared - tasks} shared tasks have no scored trial on one side and are left out.")
    return notes


def _share(task: TaskFacts) -> float:
    return sum(t.passed for t in task.trials) / len(task.trials)


def _rate(tasks: Sequence[TaskFacts]) -> Rate:
    return rate([(sum(t.passed for t in task.trials), len(task.trials)) for task in tasks])


def _task(x: TaskFacts, y: TaskFacts, pair: _Pair) -> PairedTask:
    return PairedTask(
        task=x.task, category=x.category, pairs=pair.configurations, first=math.exp(pair.first),
        second=math.exp(pair.second), ratio=math.exp(pair.difference),
        passed=(sum(t.passed for t in x.trials), sum(t.passed for t in y.trials)),
        planned=(len(x.trials), len(y.trials)),
    )


def _power(shared: Sequence[tuple[TaskFacts, TaskFacts]]) -> list[PowerNeed]:
    """From the spread that this very comparison shows; nothing without repeated trials."""
    sides = [[[t.scores["gain"] * math.log(2) for t in task.trials if t.scored] for task in tasks]
             for tasks in zip(*shared, strict=True)]
    parts = spread(sides[0], sides[1])
    if parts is None:
        return []
    trials = max(1, min(len(t.trials) for pair in shared for t in pair))
    needs = [need(parts, len(shared), trials, ratio) for ratio in POWER_RATIOS]
    return [PowerNeed(ratio=n.ratio, trials=n.trials, tasks=n.tasks) for n in needs]
