"""A run: plan, commitment, trials through an executor, reveal. What it knows is on disk, so it can be resumed."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena import agent as agents
from agentkernelarena import sandbox, target
from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.judge import PROTOCOL
from agentkernelarena.record import AgentSettings, Budget, PlannedTrial, RunRecord, RunSettings, TrialRecord
from agentkernelarena.run import executor as executors
from agentkernelarena.run.event import (
    Observer,
    RunEnded,
    RunStarted,
    StageEntered,
    TrialEnded,
    TrialRetried,
    TrialStarted,
    ignore,
)
from agentkernelarena.run.plan import plan_trials, select_tasks
from agentkernelarena.run.trial import record_fault
from agentkernelarena.run.version import versions_of
from agentkernelarena.store import Store, check_writable, open_run
from agentkernelarena.target import Target
from agentkernelarena.task import loader

ATTEMPTS = 2
"""A trial that fails through a fault of the harness is tried once more."""

MOST_FAULTS_IN_A_ROW = 5
"""So many trials in a row that the harness failed at mean that the machine, not a trial, is broken: the run stops."""


@dataclass(frozen=True)
class RunResult:
    """A finished run: its folder, its record and its trials in the order of the plan."""

    folder: Path
    record: RunRecord
    trials: tuple[TrialRecord, ...]

    @property
    def passed(self) -> bool:
        """Whether every planned trial passed."""
        return len(self.trials) == len(self.record.plan) and all(t.outcome.passed for t in self.trials)


def run(
    agents: str | AgentSettings | Sequence[str | AgentSettings], tasks: str | Sequence[str], *,
    target: str = "auto", trials: int = 1, workers: int = 1, unseen: int = 12, seed: int | None = None,
    budget: Budget | None = None, out: Path | str | None = None, observer: Observer = ignore,
) -> RunResult:
    """Let agents work on tasks and judge what they hand in.

    agents: names or settings. tasks: ids or shell patterns over ids. out: the run's folder (default ``runs/<id>``).
    Everything else as in `RunSettings`, which `run_settings` takes whole.

    Raises:
        InputError: something asked for does not exist or cannot work on this machine; nothing has been started then.
        InfrastructureError: the run had to stop; `resume` goes on with it.
    """
    listed = [agents] if isinstance(agents, str | AgentSettings) else list(agents)
    settings = RunSettings(
        agents=tuple(AgentSettings(agent=a) if isinstance(a, str) else a for a in listed),
        tasks=(tasks,) if isinstance(tasks, str) else tuple(tasks),
        target=target, trials=trials, workers=workers, unseen=unseen, seed=seed, budget=budget or Budget(),
    )
    return run_settings(settings, Path(out) if out is not None else None, observer=observer)


def run_settings(
    settings: RunSettings, out: Path | None = None, *, secret_file: Path | None = None, executor: str = "local",
    observer: Observer = ignore,
) -> RunResult:
    """The same from complete settings; see `run`. secret_file: for ``draw: secret``."""
    run_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    folder = (out or Path("runs") / run_id).absolute()
    seed = RunSeed.of(settings.draw, settings.seed, run_id, secret_file)
    place, tasks = preflight(settings, executor)
    check_writable(folder)
    settings = settings.model_copy(update={"target": place.name, "tasks": tasks})
    record = RunRecord(
        id=run_id,
        created=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        settings=settings,
        plan=plan_trials(settings, tasks),
        versions=versions_of(place, _languages(tasks)),
        device=place.facts(),
        commitment=seed.commitment,
        task_digests={task: loader.load_task(task).digest for task in tasks},
    )
    store = Store.create(folder, record)
    if not seed.is_secret:
        store.write_seed(seed.dump())
    return _carry_on(store, seed, executor, observer, retry_faults=False)


def resume(
    folder: Path | str, *, secret_file: Path | None = None, executor: str = "local", workers: int | None = None,
    retry_faults: bool = False, observer: Observer = ignore,
) -> RunResult:
    """Go on with a run that was interrupted; finished trials are not repeated.

    retry_faults: repeat the trials that ended as `infrastructure_error`, too. workers: instead of the run's own.

    Raises:
        InputError: `folder` is no run, another process works on it, or its tasks have changed since.
    """
    store = open_run(Path(folder).absolute())
    record = store.run
    changed = [t for t, digest in record.task_digests.items() if loader.load_task(t).digest != digest]
    if changed:
        raise InputError(
            str(store.folder), f"the suite has changed since: {', '.join(changed[:5])}",
            "results would not be comparable: restore the suite, or start a new run",
        )
    if record.versions.protocol != PROTOCOL:
        raise InputError(
            str(store.folder), f"was begun with protocol {record.versions.protocol}, not {PROTOCOL}",
            "go on with the version that began it, or start a new run",
        )
    seed = _seed_of(store, record, secret_file)
    if _open_trials(store, record, retry_faults):
        check_writable(store.folder)
        place, _ = preflight(record.settings, executor)
        if place.ranked and place.facts().name != record.device.name:
            raise InputError(
                str(store.folder), f"was begun on {record.device.name}; here is {place.facts().name}",
                "go on with it on a machine of the first kind",
            )
    return _carry_on(store, seed, executor, observer, retry_faults, workers)


def preflight(settings: RunSettings, executor: str = "local") -> tuple[Target, tuple[str, ...]]:
    """Find out before the first trial what would fail in every one: executor, tasks, target, agents.

    Raises:
        InputError: with the remedy.
    """
    executors.load(executor).preflight(settings.workers)
    tasks = select_tasks(settings.tasks)
    for task in tasks:
        loader.load_task(task)
    place = target.load(settings.target)
    if place.compile_only:
        raise InputError(
            f"target {place.name}", "has no device on this machine: kernels can be compiled but not run",
            "aka evaluate --compile-only, or another --target",
        )
    for language in sorted(_languages(tasks)):
        for missing in place.toolchain(language).missing():
            raise InputError(f"target {place.name}", f"{missing.what} is missing", missing.install)
    for agent in settings.agents:
        agents.load(agent.agent).preflight(agent)
    for engine in {settings.sandbox, settings.isolation}:
        sandbox.choose(engine)
    return place, tasks


def _languages(tasks: Sequence[str]) -> set[str]:
    """Languages that the tasks' submissions and baselines are compiled from."""
    known = loader.categories()
    used = [known[task.partition("/")[0]] for task in tasks]
    return {language for c in used for language in (c.language, c.baseline_language)} - {"torch"}


def _seed_of(store: Store, record: RunRecord, secret_file: Path | None) -> RunSeed:
    settings = record.settings
    if settings.draw == "secret":
        seed = RunSeed.of("secret", settings.seed, record.id, secret_file)
    elif (text := store.read_seed()) is not None:
        seed = RunSeed.load(text)
    elif (reveal := store.reveal) is not None:
        seed = RunSeed.from_reveal(reveal, settings.draw)
    else:
        raise InputError(f"{store.folder}/seed", "is missing", "without its seed the run cannot go on: start it anew")
    if seed.commitment != record.commitment:
        raise InputError(str(store.folder), "the seed does not match the commitment in run.json", "restore the files")
    return seed


def _open_trials(store: Store, record: RunRecord, retry_faults: bool) -> list[PlannedTrial]:
    def is_open(planned: PlannedTrial) -> bool:
        if not store.is_finished(planned.id):
            return True
        return retry_faults and not store.trial(planned.id).outcome.status.is_scored

    return [planned for planned in record.plan if is_open(planned)]


def _carry_on(
    store: Store, seed: RunSeed, executor: str, observer: Observer, retry_faults: bool, workers: int | None = None
) -> RunResult:
    with store.exclusive():
        record = store.run
        todo = _open_trials(store, record, retry_faults)
        observer(RunStarted(store.folder, record, finished=len(record.plan) - len(todo)))
        if todo:
            count = min(workers or record.settings.workers, len(todo))
            with executors.load(executor).start(count, seed) as session:
                _drive(store, session, todo, observer)
        if todo or store.reveal is None:
            store.write_reveal(seed.reveal().model_copy(update={"digests": store.digests()}))
            store.forget_seed()
        observer(RunEnded(store.folder))
        return RunResult(store.folder, record, tuple(store.trials()))


def _drive(store: Store, session: executors.Session, todo: Sequence[PlannedTrial], observer: Observer) -> None:
    planned = {trial.id: trial for trial in todo}
    for trial in todo:
        session.submit(executors.Job(store.folder, trial.id, attempt=1))
    left, in_a_row, recent = len(todo), 0, deque[str](maxlen=1)
    while left:
        match session.next():
            case executors.Begun(job):
                observer(TrialStarted(job.trial, job.attempt))
            case executors.Stage(job, stage):
                observer(StageEntered(job.trial, stage))
            case executors.Done(job, fault) if fault and job.attempt < ATTEMPTS:
                observer(TrialRetried(job.trial, fault))
                session.submit(executors.Job(store.folder, job.trial, job.attempt + 1))
            case executors.Done(job, fault):
                if fault:
                    record_fault(store, planned[job.trial], job.attempt, fault)
                ended = store.trial(job.trial)
                observer(TrialEnded(job.trial, ended))
                left -= 1
                in_a_row = 0 if ended.outcome.status.is_scored else in_a_row + 1
                recent.append(ended.outcome.reason)
                if in_a_row >= MOST_FAULTS_IN_A_ROW and left:
                    raise InfrastructureError(
                        f"{in_a_row} trials in a row failed through no fault of an agent; the last: {recent[-1]}"
                    )
