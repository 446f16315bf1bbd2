"""Synthetic runs: records as a run would leave them, drawn from a stated model, for tests and benchmarks of reports.

The model of one contender. The logarithm of the true speedup of task t in trial r at configuration c is

    mean + task[t] + trial[t, r] + configuration[t, r, c] (+ unseen, for unseen configurations)

with independent normal parts of the standard deviations in `Contender`. A trial passes with probability
`pass_rate[t]`, drawn per task from a Beta distribution with mean `pass_mean` and concentration `pass_concentration`;
one that does not fails in the correctness gate. The submission of a passing trial is right at an unseen configuration
with probability `unseen_right`. With `samples`, each side's times are that many draws, normal in the logarithm with a
standard deviation of `jitter`, in two buffer groups, and speedup and interval are what the judge computes from them.
Everything is drawn from one seed. `Plan.real` names tasks of the suite, whose configurations are then the real ones.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agentkernelarena.commitment import RunSeed
from agentkernelarena.judge.statistic import ratio_interval, trimmed_mean
from agentkernelarena.record import (
    AgentSettings,
    AgentStatus,
    NullBand,
    PlannedTrial,
    RunRecord,
    RunSettings,
    TrialRecord,
    Usage,
    Versions,
)
from agentkernelarena.result import (
    ConfigurationResult,
    DeviceFacts,
    Gate,
    GateResult,
    Interval,
    Judgement,
    Outcome,
    Samples,
    SideResult,
    Status,
    Verdict,
)
from agentkernelarena.store import Store
from agentkernelarena.submission import Submission
from agentkernelarena.task import loader
from agentkernelarena.task.unseen import Stratum, draw_unseen

PASSED = Outcome(status=Status.PASSED)
CATEGORIES = ("hip2hip", "torch2hip", "triton2triton")
JITTER = 0.01


@dataclass(frozen=True)
class Contender:
    """One agent of a synthetic run; `mean` and the deviations are natural logarithms of speedups."""

    name: str = "maker"
    mean: float = math.log(1.4)
    task: float = 0.3
    trial: float = 0.15
    configuration: float = 0.1
    unseen: float = -0.05
    pass_mean: float = 0.8
    pass_concentration: float = 4.0
    unseen_right: float = 0.93


@dataclass(frozen=True)
class Plan:
    """The shape of a synthetic run."""

    contenders: tuple[Contender, ...] = (Contender(),)
    tasks: int = 12
    trials: int = 3
    seen: int = 5
    unseen: int = 12
    target: str = "nvidia:sm_90"
    samples: int = 0
    null_band: bool = True
    protocol: str = "1"
    suite: str = "5" * 64
    real: tuple[str, ...] = ()

    @property
    def ranked(self) -> bool:
        return self.target != "cpu"

    def task_ids(self) -> list[str]:
        return list(self.real) or [f"{CATEGORIES[i % 3]}/operator_{i // 3:02d}" for i in range(self.tasks)]

    def configurations(self, task_id: str, seed: RunSeed) -> list[tuple[str, str, Mapping[str, object]]]:
        """(name, stratum, values) of each, seen ones first."""
        if self.real:
            task = loader.load_task(task_id)
            drawn = draw_unseen(task, seed.for_task(task_id), self.unseen)
            seen = [(name, "", dict(cfg)) for name, cfg in task.seen.items()]
            return seen + [(u.name, u.stratum, dict(u.configuration)) for u in drawn]
        strata = [s.value for s in Stratum]
        seen = [(f"seen {i}", "", {"rows": 64 * (i + 1), "dtype": "float16"}) for i in range(self.seen)]
        return seen + [
            (f"unseen-{i + 1}", strata[i % 6], {"rows": 1000 + i, "dtype": "float16"}) for i in range(self.unseen)
        ]


def wrong(reason: str = "y[3]: 0.5, expected 0.25") -> Outcome:
    return Outcome(status=Status.INCORRECT, reason=reason, gate=Gate.CORRECTNESS)


def side(time_us: float | None, samples: Samples | None = None, outcome: Outcome = PASSED) -> SideResult:
    """One side of a configuration."""
    return SideResult(
        outcome=outcome, error_ratio=0.5 if outcome.passed else None, time_us=time_us if outcome.passed else None,
        samples=samples or Samples(),
    )


def configuration(
    name: str, speedup: float | None, stratum: str = "", values: Mapping[str, object] | None = None,
    baseline: Outcome = PASSED, submission: Outcome = PASSED, time_us: float = 100.0, samples: int = 0,
    rng: np.random.Generator | None = None,
) -> ConfigurationResult:
    """One configuration; `speedup` None where nothing was timed or a side failed."""
    fixed = {
        "name": name, "seen": not stratum, "stratum": stratum, "floor_us": time_us / 4,
        "configuration": values or {"rows": 128, "dtype": "float16"},
    }
    if speedup is None or not (baseline.passed and submission.passed):
        sides = side(None, outcome=baseline), side(None, outcome=submission)
        return ConfigurationResult(**fixed, baseline=sides[0], submission=sides[1])
    if not samples or rng is None:
        low, high = speedup * 0.997, speedup * 1.003
        sides = side(time_us), side(time_us / speedup)
    else:
        times = [np.exp(rng.normal(math.log(t), JITTER, samples)).tolist() for t in (time_us, time_us / speedup)]
        groups = [i % 2 for i in range(samples)]
        speedup, interval = ratio_interval(*([side_times[g::2] for g in (0, 1)] for side_times in times), seed=7)
        low, high = interval.low, interval.high
        sides = tuple(
            side(trimmed_mean(t), Samples(time_us=t, host_us=t, wall_us=t, group=groups)) for t in times
        )
    verdict = Verdict.FASTER if low > 1 else Verdict.SLOWER if high < 1 else Verdict.SAME
    return ConfigurationResult(
        **fixed, baseline=sides[0], submission=sides[1], speedup=speedup, interval=Interval(low=low, high=high),
        verdict=verdict,
    )


def submission(planned: PlannedTrial) -> Submission:
    """The files that a trial handed in."""
    category = loader.categories()[planned.task.partition("/")[0]]
    return Submission(category.entry, {category.entry: f"// {planned.id}\n".encode()})


def trial(
    planned: PlannedTrial, run: RunRecord, configurations: tuple[ConfigurationResult, ...], outcome: Outcome = PASSED
) -> TrialRecord:
    """A finished trial with these configurations; its gates follow from the outcome."""
    gates = []
    for gate in Gate:
        decided = outcome.gate is gate
        gates.append(GateResult(gate=gate, outcome=outcome if decided else PASSED, seconds=1.0))
        if decided:
            break
    unjudged = outcome.status in (Status.AGENT_ERROR, Status.INFRASTRUCTURE_ERROR, Status.NO_SUBMISSION)
    files = None if unjudged else submission(planned)
    judgement = None if files is None else Judgement(
        protocol=run.versions.protocol, task=planned.task, task_digest=run.task_digests[planned.task],
        submission_digest=files.digest, target=run.settings.target, ranked=run.settings.target != "cpu",
        isolation="none", outcome=outcome, gates=tuple(gates), configurations=configurations, seconds=12.0,
    )
    return TrialRecord(
        id=planned.id, agent=planned.agent, task=planned.task, repetition=planned.repetition,
        target=run.settings.target, outcome=outcome, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:10:00Z",
        agent_status=AgentStatus(
            status="completed", seconds=600.0, usage=Usage(input_tokens=90_000, output_tokens=10_000, cost_usd=0.5)
        ),
        submission=files.record() if files else None, judgement=judgement,
    )


def run_record(plan: Plan, seed: RunSeed | None = None) -> RunRecord:
    """`run.json` of the plan."""
    planned = tuple(
        PlannedTrial(id=f"{c.name}-{t.replace('/', '-')}-{r}", agent=c.name, task=t, repetition=r)
        for c in plan.contenders for t in plan.task_ids() for r in range(1, plan.trials + 1)
    )
    digests = {t: loader.load_task(t).digest if plan.real else "d" * 64 for t in plan.task_ids()}
    return RunRecord(
        id="synthetic", created="2026-01-01T00:00:00Z",
        settings=RunSettings(
            agents=tuple(AgentSettings(agent="command", label=c.name, model="m-1") for c in plan.contenders),
            tasks=tuple(plan.task_ids()), target=plan.target, trials=plan.trials, unseen=plan.unseen,
        ),
        plan=planned, versions=Versions(package="0.1.0", protocol=plan.protocol, suite=plan.suite, python="3.11"),
        device=DeviceFacts(target=plan.target, name="Synthetic device"),
        commitment=(seed or RunSeed.fixed(1)).commitment, task_digests=digests,
        null_band=NullBand(
            target=plan.target, short_kernels=0.015, long_kernels=0.008, samples=100, measured="2026-01-01"
        ) if plan.null_band else None,
    )


def records(plan: Plan, seed: int, material: RunSeed | None = None) -> Iterator[TrialRecord]:
    """The trials of the plan, in its order, drawn from the model of the module's docstring."""
    rng = np.random.Generator(np.random.PCG64(seed))
    material = material or RunSeed.fixed(seed)
    run = run_record(plan, material)
    by_name = {c.name: c for c in plan.contenders}
    configurations = {t: plan.configurations(t, material) for t in plan.task_ids()}
    effects: dict[tuple[str, str], tuple[float, float]] = {}
    for planned in run.plan:
        who = by_name[planned.agent]
        if (planned.agent, planned.task) not in effects:
            a, b = who.pass_mean * who.pass_concentration, (1 - who.pass_mean) * who.pass_concentration
            chance = float(rng.beta(a, b)) if 0 < who.pass_mean < 1 else who.pass_mean
            effects[planned.agent, planned.task] = float(rng.normal(0, who.task)), chance
        effect, chance = effects[planned.agent, planned.task]
        passes = rng.random() < chance
        drawn = _drawn(configurations[planned.task], plan, who, effect, passes, rng)
        yield trial(planned, run, drawn, PASSED if passes else wrong())


def _drawn(
    configurations: list[tuple[str, str, Mapping[str, object]]], plan: Plan, who: Contender, effect: float,
    passes: bool, rng: np.random.Generator,
) -> tuple[ConfigurationResult, ...]:
    level = who.mean + effect + float(rng.normal(0, who.trial))
    results = []
    for index, (name, stratum, values) in enumerate(configurations):
        noise, right = float(rng.normal(0, who.configuration)), rng.random() < who.unseen_right
        outcome = PASSED
        if not passes and (not stratum or index % 2):
            outcome = wrong()
        if stratum and not right:
            outcome = wrong()
        speedup = math.exp(level + noise + (who.unseen if stratum else 0.0))
        results.append(configuration(
            name, speedup if passes else None, stratum, values, submission=outcome, samples=plan.samples, rng=rng,
            time_us=20.0 * (index + 1),
        ))
    return tuple(results)


def store(plan: Plan, seed: int, folder: Path | None = None, reveal: bool = True) -> Store:
    """A run on disk (in a temporary folder by default)."""
    place = folder or Path(tempfile.mkdtemp(prefix="aka-synthetic-")) / "run"
    material = RunSeed.fixed(seed)
    made = Store.create(place, run_record(plan, material))
    planned = {p.id: p for p in made.run.plan}
    for record in records(plan, seed):
        if record.submission is not None:
            submission(planned[record.id]).write_to(made.trial_folder(record.id) / "submission")
        made.finish(record)
    if reveal:
        made.write_reveal(material.reveal().model_copy(update={"digests": made.digests()}))
    return made
