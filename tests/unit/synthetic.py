"""Synthetic runs: records as a run would leave them, drawn from a stated model, for tests and benchmarks of reports.

The model of one contender. The logarithm of the true speedup of task t in trial r at configuration c is

    mean + task[t] + trial[t, r] + configuration[t, r, c] (+ unseen, for unseen configurations)

with independent normal parts of the standard deviations in `Contender`. A trial passes with probability
`pass_rate[t]`, drawn per task from a Beta distribution with mean `pass_mean` and concentration `pass_concentration`;
one that does not fails in the correctness gate. The submission of a passing trial is right at an unseen configuration
with probability `unseen_right`. Everything is drawn from one seed.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agentkernelarena.commitment import RunSeed
from agentkernelarena.record import (
    AgentSettings,
    AgentStatus,
    NullBand,
    PlannedTrial,
    Reveal,
    RunRecord,
    RunSettings,
    SubmissionRecord,
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
from agentkernelarena.task.unseen import Stratum

PASSED = Outcome(status=Status.PASSED)
CATEGORIES = ("hip2hip", "torch2hip", "triton2triton")


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

    contenders: tuple[Contender, ...] = field(default=(Contender(),))
    tasks: int = 12
    trials: int = 3
    seen: int = 5
    unseen: int = 12
    target: str = "nvidia:sm_90"
    samples: int = 0
    null_band: bool = True
    protocol: str = "1"
    suite: str = "5" * 64

    @property
    def ranked(self) -> bool:
        return self.target != "cpu"

    def task_ids(self) -> list[str]:
        return [f"{CATEGORIES[i % 3]}/operator_{i // 3:02d}" for i in range(self.tasks)]


def side(time_us: float | None, samples: int = 0, outcome: Outcome = PASSED) -> SideResult:
    """One side; with `samples`, that many equal ones."""
    raw = Samples(time_us=(time_us,) * samples) if samples and time_us is not None else Samples()
    return SideResult(
        outcome=outcome, error_ratio=0.5 if outcome.passed else None, time_us=time_us if outcome.passed else None,
        samples=raw,
    )


def configuration(
    name: str, speedup: float | None, stratum: str = "", rows: int = 128, baseline: Outcome = PASSED,
    submission: Outcome = PASSED, time_us: float = 100.0, samples: int = 0,
) -> ConfigurationResult:
    """One configuration; `speedup` None where a side failed."""
    both = baseline.passed and submission.passed and speedup is not None
    return ConfigurationResult(
        name=name, seen=not stratum, stratum=stratum, configuration={"rows": rows, "dtype": "float16"},
        baseline=side(time_us, samples, baseline),
        submission=side(time_us / speedup if speedup else None, samples, submission),
        speedup=speedup if both else None,
        interval=Interval(low=speedup * 0.997, high=speedup * 1.003) if both and speedup else None,
        verdict=(Verdict.FASTER if speedup > 1 else Verdict.SLOWER) if both and speedup else None, floor_us=time_us / 4,
    )


def wrong(reason: str = "y[3]: 0.5, expected 0.25") -> Outcome:
    return Outcome(status=Status.INCORRECT, reason=reason, gate=Gate.CORRECTNESS)


def trial(
    planned: PlannedTrial, plan: Plan, configurations: tuple[ConfigurationResult, ...], outcome: Outcome = PASSED
) -> TrialRecord:
    """A finished trial with these configurations; its gates follow from the outcome."""
    gates = []
    for gate in Gate:
        decided = outcome.gate is gate
        gates.append(GateResult(gate=gate, outcome=outcome if decided else PASSED, seconds=1.0))
        if decided:
            break
    digest = hashlib.sha256(planned.id.encode()).hexdigest()
    judgement = None if outcome.status in (Status.AGENT_ERROR, Status.INFRASTRUCTURE_ERROR, Status.NO_SUBMISSION) else (
        Judgement(
            protocol=plan.protocol, task=planned.task, task_digest="d" * 64, submission_digest=digest,
            target=plan.target, ranked=plan.ranked, isolation="none", outcome=outcome, gates=tuple(gates),
            configurations=configurations, seconds=12.0,
        )
    )
    return TrialRecord(
        id=planned.id, agent=planned.agent, task=planned.task, repetition=planned.repetition, target=plan.target,
        outcome=outcome, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:10:00Z",
        agent_status=AgentStatus(
            status="completed", seconds=600.0, usage=Usage(input_tokens=90_000, output_tokens=10_000, cost_usd=0.5)
        ),
        submission=SubmissionRecord(digest=digest, files=()) if judgement else None, judgement=judgement,
    )


def run_record(plan: Plan, seed: RunSeed | None = None) -> RunRecord:
    """`run.json` of the plan."""
    planned = tuple(
        PlannedTrial(id=f"{c.name}-{t.replace('/', '-')}-{r}", agent=c.name, task=t, repetition=r)
        for c in plan.contenders for t in plan.task_ids() for r in range(1, plan.trials + 1)
    )
    return RunRecord(
        id="synthetic", created="2026-01-01T00:00:00Z",
        settings=RunSettings(
            agents=tuple(AgentSettings(agent="command", label=c.name, model="m-1") for c in plan.contenders),
            tasks=tuple(plan.task_ids()), target=plan.target, trials=plan.trials, unseen=plan.unseen,
        ),
        plan=planned, versions=Versions(package="0.1.0", protocol=plan.protocol, suite=plan.suite, python="3.11"),
        device=DeviceFacts(target=plan.target, name="Synthetic device"),
        commitment=(seed or RunSeed.fixed(1)).commitment, task_digests=dict.fromkeys(plan.task_ids(), "d" * 64),
        null_band=NullBand(
            target=plan.target, short_kernels=0.015, long_kernels=0.008, samples=100, measured="2026-01-01"
        ) if plan.null_band else None,
    )


def records(plan: Plan, seed: int) -> Iterator[TrialRecord]:
    """The trials of the plan, in its order, drawn from the model of the module's docstring."""
    rng = np.random.Generator(np.random.PCG64(seed))
    run = run_record(plan)
    by_name = {c.name: c for c in plan.contenders}
    effects: dict[tuple[str, str], tuple[float, float]] = {}
    for planned in run.plan:
        who = by_name[planned.agent]
        if (planned.agent, planned.task) not in effects:
            a, b = who.pass_mean * who.pass_concentration, (1 - who.pass_mean) * who.pass_concentration
            chance = float(rng.beta(a, b)) if 0 < who.pass_mean < 1 else who.pass_mean
            effects[planned.agent, planned.task] = float(rng.normal(0, who.task)), chance
        effect, chance = effects[planned.agent, planned.task]
        yield _drawn(planned, plan, who, effect, chance, rng)


def _drawn(
    planned: PlannedTrial, plan: Plan, who: Contender, effect: float, chance: float, rng: np.random.Generator
) -> TrialRecord:
    level = who.mean + effect + float(rng.normal(0, who.trial))
    noise = rng.normal(0, who.configuration, plan.seen + plan.unseen)
    right = rng.random(plan.unseen) < who.unseen_right
    if rng.random() >= chance:
        results = tuple(
            configuration(f"seen {i}", None, rows=64 * (i + 1), submission=wrong()) for i in range(plan.seen)
        )
        return trial(planned, plan, results, wrong())
    seen = [
        configuration(f"seen {i}", math.exp(level + noise[i]), rows=64 * (i + 1), samples=plan.samples,
                      time_us=20.0 * (i + 1))
        for i in range(plan.seen)
    ]
    strata = list(Stratum)
    unseen = [
        configuration(
            f"unseen-{i + 1}", math.exp(level + who.unseen + noise[plan.seen + i]) if right[i] else None,
            stratum=strata[i % 6].value, rows=1000 + i, submission=PASSED if right[i] else wrong(),
            samples=plan.samples,
        )
        for i in range(plan.unseen)
    ]
    return trial(planned, plan, (*seen, *unseen))


def store(plan: Plan, seed: int, folder: Path | None = None, reveal: bool = True) -> Store:
    """A run on disk (in a temporary folder by default)."""
    place = folder or Path(tempfile.mkdtemp(prefix="aka-synthetic-")) / "run"
    secret = RunSeed.fixed(seed)
    made = Store.create(place, run_record(plan, secret))
    for record in records(plan, seed):
        made.finish(record)
    if reveal:
        made.write_reveal(Reveal(seed=secret.seed.hex(), salt=secret.salt.hex()))
    return made
