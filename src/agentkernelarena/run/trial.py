"""One trial: one pass through the flow. Whatever happens in it ends as a recorded outcome.

    prepare -> agent -> freeze | judge -> record

The bar is a checkpoint: once the submission is frozen, a fault or an interruption costs the judging only.
"""

from __future__ import annotations

import shutil
import time
import traceback
from collections.abc import Callable

from agentkernelarena import agent as agents
from agentkernelarena import sandbox
from agentkernelarena import target as targets
from agentkernelarena.agent import AgentTask
from agentkernelarena.commitment import RunSeed
from agentkernelarena.document import write_atomic
from agentkernelarena.errors import ArenaError, InfrastructureError
from agentkernelarena.judge import JudgeOptions, judge
from agentkernelarena.record import AgentStatus, HandedIn, PlannedTrial, RunRecord, TrialRecord
from agentkernelarena.result import Judgement, Outcome, Status
from agentkernelarena.run.executor import Job
from agentkernelarena.run.process import stop_if_ending
from agentkernelarena.store import Store, open_run
from agentkernelarena.submission import Submission, collect, from_path
from agentkernelarena.task import loader
from agentkernelarena.task.unseen import draw_unseen
from agentkernelarena.workspace import Broker, DeviceQueue, ToolAnswer, ToolRequest, Workspace, answer, prepare

FAILED = {"not_started", "crashed", "api_error"}
"""Endings of an agent after which its files are not a submission: it did not finish."""


def perform(job: Job, seed: RunSeed, on_stage: Callable[[str], None]) -> str:
    """Carry out one attempt and store its record; return "", or what failed in the harness."""
    try:
        store = open_run(job.folder)
        Trial(store, job, seed, on_stage).carry_out()
    except ArenaError as error:
        return str(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        traceback.print_exc()
        return f"{type(error).__name__}: {error} ({place.name}, line {place.lineno} of {place.filename})"
    return ""


def record_fault(store: Store, planned: PlannedTrial, attempts: int, fault: str) -> None:
    """Record a trial that the harness could not carry out."""
    run, now = store.run, _now()
    handed = store.handed_in(planned.id)
    store.finish(TrialRecord(
        id=planned.id, agent=planned.agent, task=planned.task, repetition=planned.repetition,
        target=run.settings.target, outcome=Outcome(status=Status.INFRASTRUCTURE_ERROR, reason=fault),
        started=handed.started if handed else now, ended=now, seconds=handed.seconds if handed else {},
        agent_status=handed.agent_status if handed else AgentStatus(status="not_started"),
        submission=handed.submission if handed else None, tool_calls=handed.tool_calls if handed else (),
        attempts=attempts,
    ))


class Trial:
    """One attempt at one trial."""

    def __init__(self, store: Store, job: Job, seed: RunSeed, on_stage: Callable[[str], None]) -> None:
        self.store, self.job, self.seed, self.on_stage = store, job, seed, on_stage
        self.run: RunRecord = store.run
        self.planned = next(p for p in self.run.plan if p.id == job.trial)
        self.settings = next(a for a in self.run.settings.agents if a.name == self.planned.agent)
        self.task = loader.load_task(self.planned.task)
        self.category = loader.categories()[self.task.category]
        self.target = targets.load(self.run.settings.target)
        self.folder = store.trial_folder(job.trial)
        self.tool_calls = 0

    def carry_out(self) -> None:
        """Go through the flow, from the checkpoint if an earlier attempt got there, and store the record."""
        handed = self.store.handed_in(self.job.trial) or self._agent_part()
        outcome, judgement = self._outcome(handed)
        planned = self.planned
        stop_if_ending()
        self.store.finish(TrialRecord(
            id=planned.id, agent=planned.agent, task=planned.task, repetition=planned.repetition,
            target=self.target.name, outcome=outcome, started=handed.started, ended=_now(),
            seconds={**handed.seconds, **({"judge": judgement.seconds} if judgement else {})},
            agent_status=handed.agent_status, submission=handed.submission, judgement=judgement,
            tool_calls=handed.tool_calls, attempts=self.job.attempt,
        ))
        shutil.rmtree(self.folder / "work", ignore_errors=True)

    def _agent_part(self) -> HandedIn:
        self.on_stage("prepare")
        started, clock = _now(), time.monotonic()
        folder = self.store.begin(self.job.trial)
        engine = sandbox.choose(self.run.settings.sandbox)
        budget, seen = self.run.settings.budget, self.target.seen(self.task)
        workspace = prepare(self.task, self.run.device, budget, folder / "work", engine, seen=seen)
        prepared = time.monotonic()
        self.on_stage("agent")
        work = AgentTask(workspace, self.settings, budget, engine, folder)
        info = lambda: answer.info(  # noqa: E731  read anew with every call: the time that is left changes
            workspace, self.run.device, budget, budget.wall_s - (time.monotonic() - prepared))
        with Broker(workspace, self._tool, self._queue(), info) as broker:
            status = agents.load(self.settings.agent).solve(work)
        ended = time.monotonic()
        frozen = self._freeze(workspace)
        handed = HandedIn(
            started=started, seconds={"prepare": prepared - clock, "agent": ended - prepared}, agent_status=status,
            submission=frozen.record() if isinstance(frozen, Submission) else None,
            no_submission=frozen if isinstance(frozen, Outcome) else None, tool_calls=broker.calls,
        )
        stop_if_ending()
        self.store.hand_in(self.job.trial, handed)
        workspace.clear()
        return handed

    def _freeze(self, workspace: Workspace) -> Submission | Outcome:
        """Freeze what the agent left, and write it down."""
        frozen = collect(workspace.folder, self.category)
        if isinstance(frozen, Submission):
            frozen.write_to(self.folder / "submission")
            write_atomic(self.folder / "diff.patch", frozen.diff(workspace.start))
        return frozen

    def _tool(self, request: ToolRequest, submission: Submission) -> ToolAnswer:
        """What `./aka check` and `./aka time` ask: the same judge, with values of their own, seen configurations."""
        self.tool_calls += 1
        options = JudgeOptions(
            seed=self._seed(f"tool/{self.tool_calls}"), isolation=self.run.settings.isolation,
            time=request.command != "check", only=request.configurations,
        )
        return answer.from_judgement(request.command, judge(self.task, submission, self.target, options))

    def _outcome(self, handed: HandedIn) -> tuple[Outcome, Judgement | None]:
        status = handed.agent_status
        if status.status in FAILED:
            return Outcome(status=Status.AGENT_ERROR, reason=status.reason or f"the agent {status.status}"), None
        if handed.no_submission is not None:
            return handed.no_submission, None
        submission = self._submission(handed)
        settings, task, target = self.run.settings, self.task, self.target
        anchors = tuple(target.seen(task).values())
        unseen = draw_unseen(
            task, self.seed.for_task(task.id), settings.unseen, lambda cfg: target.fits(task, cfg), anchors,
        )
        options = JudgeOptions(seed=self._seed("judge"), unseen=unseen, isolation=settings.isolation)
        self.on_stage("judge")
        queue = self._queue()
        if queue is None:
            judgement = judge(task, submission, target, options, self._on_judging)
        else:
            with queue.turn():
                judgement = judge(task, submission, target, options, self._on_judging)
        return judgement.outcome, judgement

    def _submission(self, handed: HandedIn) -> Submission:
        """The frozen files, read back from the store and checked against their digest."""
        submission = from_path(self.folder / "submission", self.category.entry)
        if handed.submission is None or submission.digest != handed.submission.digest:
            raise InfrastructureError(f"{self.folder}/submission: is not what was handed in")
        return submission

    def _queue(self) -> DeviceQueue | None:
        # Smoke times need no quiet device, and waiting for one would serialise the workers.
        return DeviceQueue.of(self.target.name) if self.target.ranked else None

    def _on_judging(self, what: str) -> None:
        self.on_stage(f"judge: {what}")

    def _seed(self, purpose: str) -> bytes:
        return self.seed.for_trial(self.job.trial, purpose).to_bytes(8, "big")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
