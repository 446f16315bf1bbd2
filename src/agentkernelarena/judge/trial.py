"""One judgement from beginning to end: builds, then each configuration through correctness and performance."""

from __future__ import annotations

import atexit
import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentkernelarena import sandbox
from agentkernelarena.judge import PROTOCOL, JudgeOptions
from agentkernelarena.judge.buffer import Buffers
from agentkernelarena.judge.compile_gate import Compiled, Product, baseline_files, compile_side
from agentkernelarena.judge.correctness_gate import SideCorrectness, check_side, prepare
from agentkernelarena.judge.draw import Source
from agentkernelarena.judge.nursery import Nurseries, WorkerFailed
from agentkernelarena.judge.performance_gate import Contest, Side
from agentkernelarena.judge.sanitized_check import SanitizedCheck
from agentkernelarena.judge.session import Session
from agentkernelarena.result import (
    ConfigurationResult,
    Gate,
    GateResult,
    Judgement,
    KernelUse,
    Outcome,
    SideResult,
    Status,
)
from agentkernelarena.target import Target
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.loader import categories
from agentkernelarena.task.task import Task

if TYPE_CHECKING:
    from agentkernelarena.submission import Submission

# After so many workers that hung, the remaining configurations are not tried.
_PATIENCE = 2


@dataclass(frozen=True)
class _Planned:
    name: str
    stratum: str
    seen: bool
    cfg: Configuration


class Judging:
    """State of one judgement."""

    def __init__(
        self,
        task: Task,
        submission: Submission,
        target: Target,
        options: JudgeOptions,
        progress: Callable[[str], None],
    ) -> None:
        self.task, self.submission, self.target, self.options = task, submission, target, options
        self.progress = progress
        self.category = categories()[task.category]
        self.engine = sandbox.choose(options.isolation)
        self.started = time.monotonic()
        self.seconds = {Gate.CORRECTNESS: 0.0, Gate.PERFORMANCE: 0.0}
        self.hung = 0
        self.log = ""

    def judge(self) -> Judgement:
        plan = self._plan()
        compiled = self._compile(plan)
        if compiled.product is None or self.options.compile_only:
            return self._judgement(compiled.result.outcome, (self._with_resources(compiled),), ())
        baseline = self._compile_baseline(plan)
        source = Source(self.task, self.options.seed, self.target.device)
        nurseries = shared_nurseries()
        sides = [
            Session(self.target, nurseries, side, self.engine.name, source.number("poison"))
            for side in ("baseline", "submission")
        ]
        results: list[ConfigurationResult] = []
        checker = self._sanitized(plan, source)
        try:
            self._warm(sides)
            for index, planned in enumerate(plan):
                self.progress(f"configuration {index + 1}/{len(plan)}: {planned.name}")
                products = baseline, compiled.product
                result = self._configuration(planned, products, (sides[0], sides[1]), source, results)
                results.append(checker.check(planned.cfg, result) if checker else result)
            self.log = sides[1].log()
        finally:
            for session in (*sides, *([checker.session] if checker else [])):
                session.close()
        return self._judgement(*self._summary(compiled, results), tuple(results))

    def _warm(self, sides: list[Session]) -> None:
        """Start both workers at once: device contexts take a while. A failure shows again where it counts."""
        languages = (self.category.baseline_language, self.category.language)
        with ThreadPoolExecutor(len(sides)) as pool:
            for started in [pool.submit(s.warm, language) for s, language in zip(sides, languages, strict=True)]:
                with contextlib.suppress(WorkerFailed):
                    started.result()

    def _sanitized(self, plan: list[_Planned], source: Source) -> SanitizedCheck | None:
        sanitizer = self.target.sanitizer(self.category.language) if self.options.sanitize else None
        if sanitizer is None:
            return None
        compiled = compile_side(
            self.task,
            self.target,
            self.submission.files,
            self.category.entry,
            self.category.language,
            [p.cfg for p in plan],
            self.engine.name,
            (sanitizer.options,),
        )
        if compiled.product is None:
            raise _fault(
                f"the instrumented build of a submission that compiles failed: {compiled.result.outcome.reason}"
            )
        session = Session(
            self.target, shared_nurseries(), "submission", self.engine.name, source.number("poison"), sanitizer.settings
        )
        return SanitizedCheck(self.task, session, compiled.product, source)

    def _plan(self) -> list[_Planned]:
        if self.options.smoke_only:
            return [_Planned("smoke", "", True, self.task.smoke)]
        seen = [
            _Planned(name, "", True, cfg)
            for name, cfg in self.target.seen(self.task).items()
            if not self.options.only or name in self.options.only
        ]
        unseen = [_Planned(u.name, u.stratum, False, u.configuration) for u in self.options.unseen]
        return seen + unseen

    def _compile(self, plan: list[_Planned]) -> Compiled:
        self.progress("compiling")
        category = self.category
        return compile_side(
            self.task,
            self.target,
            self.submission.files,
            category.entry,
            category.language,
            [p.cfg for p in plan],
            self.engine.name,
        )

    def _compile_baseline(self, plan: list[_Planned]) -> Product:
        category = self.category
        compiled = compile_side(
            self.task,
            self.target,
            baseline_files(self.task, category),
            category.baseline,
            category.baseline_language,
            [p.cfg for p in plan],
            self.engine.name,
        )
        if compiled.product is None:
            raise _fault(f"the baseline of {self.task.id} does not compile: {compiled.result.outcome.reason}")
        return compiled.product

    def _configuration(
        self,
        planned: _Planned,
        products: tuple[Product, Product],
        sessions: tuple[Session, Session],
        source: Source,
        before: list[ConfigurationResult],
    ) -> ConfigurationResult:
        if self.hung >= _PATIENCE:
            skipped = Outcome(
                status=Status.TIMEOUT, reason="not run: earlier configurations hung", gate=Gate.CORRECTNESS
            )
            return self._result(planned, SideResult(outcome=skipped), SideResult(outcome=skipped))
        start = time.monotonic()
        effort = self.target.effort(self.task)
        buffers = Buffers(self.target, self.task, planned.cfg, effort.groups * effort.sets)
        try:
            trials = prepare(self.task, self.target, planned.cfg, source)
            checked = []
            for session, product in zip(sessions, products, strict=True):
                buffers.wipe()
                checked.append(
                    check_side(
                        session, product, self.task, planned.cfg, buffers, trials, baseline=session.side == "baseline"
                    )
                )
            if planned.seen and not checked[0].outcome.passed:
                raise _fault(
                    f"the baseline of {self.task.id} fails at {planned.cfg.label}: {checked[0].outcome.reason}"
                )
            self.hung += checked[1].outcome.status is Status.TIMEOUT
            self.seconds[Gate.CORRECTNESS] += time.monotonic() - start
            failed_seen = any(c.seen and not c.submission.outcome.passed for c in before)
            if not self.options.time or failed_seen or not all(c.outcome.passed for c in checked):
                return self._result(planned, _side(checked[0]), _side(checked[1])).model_copy(
                    update={"bound_k": trials.k_acc}
                )
            return self._timed(
                planned,
                products,
                sessions,
                (checked[0], checked[1]),
                Contest(self.task, self.target, planned.cfg, buffers, trials, source),
            )
        finally:
            for session in sessions:
                session.forget(buffers)
            buffers.close()

    def _timed(
        self,
        planned: _Planned,
        products: tuple[Product, Product],
        sessions: tuple[Session, Session],
        checked: tuple[SideCorrectness, SideCorrectness],
        contest: Contest,
    ) -> ConfigurationResult:
        start = time.monotonic()
        baseline, submission = (Side(s, p) for s, p in zip(sessions, products, strict=True))
        ratio = contest.measure(baseline, submission)
        self.seconds[Gate.PERFORMANCE] += time.monotonic() - start
        if baseline.outcome is not None:
            sessions[1].close()
            if contest.right_alone(baseline):
                reason = f"the baseline failed only while this submission's worker ran: {baseline.outcome.reason}"
                submission.outcome = Outcome(status=Status.TAMPERED, reason=reason[:2000], gate=Gate.PERFORMANCE)
                baseline.outcome = None
        if planned.seen and baseline.outcome is not None:
            raise _fault(
                f"the baseline of {self.task.id} fails while timed at {planned.cfg.label}: {baseline.outcome.reason}"
            )
        self.hung += submission.outcome is not None and submission.outcome.status is Status.TIMEOUT
        result = self._result(planned, _side(checked[0], baseline), _side(checked[1], submission))
        update: dict[str, object] = {
            "floor_us": self.target.floor_us(self.task, planned.cfg),
            "bound_k": contest.trials.k_acc,
        }
        if ratio is not None:
            update |= {"speedup": ratio.speedup, "interval": ratio.interval, "verdict": ratio.verdict}
        return result.model_copy(update=update)

    def _result(self, planned: _Planned, baseline: SideResult, submission: SideResult) -> ConfigurationResult:
        return ConfigurationResult(
            name=planned.name,
            seen=planned.seen,
            stratum=planned.stratum,
            configuration=dict(planned.cfg),
            baseline=baseline,
            submission=submission,
        )

    def _with_resources(self, compiled: Compiled) -> GateResult:
        uses = tuple(
            KernelUse(
                kernel=r.kernel,
                registers=r.registers,
                scalar_registers=r.scalar_registers,
                spills=r.spills,
                shared_bytes=r.shared_bytes,
                occupancy_waves=r.occupancy_waves,
            )
            for b in compiled.builds
            for r in b.build.resources
        )
        return compiled.result.model_copy(update={"resources": uses})

    def _summary(
        self, compiled: Compiled, results: list[ConfigurationResult]
    ) -> tuple[Outcome, tuple[GateResult, ...]]:
        """The trial's outcome is that of its first failing seen configuration; gates follow."""
        failed = next((c.submission.outcome for c in results if c.seen and not c.submission.outcome.passed), None)
        correctness = (
            failed
            if failed and failed.gate is not Gate.PERFORMANCE
            else Outcome(status=Status.PASSED, gate=Gate.CORRECTNESS)
        )
        gates = [
            self._with_resources(compiled),
            GateResult(
                gate=Gate.CORRECTNESS, outcome=correctness, seconds=self.seconds[Gate.CORRECTNESS], log=self.log
            ),
        ]
        if self.options.time and correctness.passed:
            performance = failed or Outcome(status=Status.PASSED, gate=Gate.PERFORMANCE)
            gates.append(GateResult(gate=Gate.PERFORMANCE, outcome=performance, seconds=self.seconds[Gate.PERFORMANCE]))
        return failed or Outcome(status=Status.PASSED), tuple(gates)

    def _judgement(
        self, outcome: Outcome, gates: tuple[GateResult, ...], results: tuple[ConfigurationResult, ...]
    ) -> Judgement:
        return Judgement(
            protocol=PROTOCOL,
            task=self.task.id,
            task_digest=self.task.digest,
            submission_digest=self.submission.digest,
            target=self.target.name,
            ranked=self.target.ranked,
            isolation=self.engine.describe(),
            outcome=outcome,
            gates=gates,
            configurations=results,
            seconds=time.monotonic() - self.started,
        )


def _side(checked: SideCorrectness, timed: Side | None = None) -> SideResult:
    if timed is None:
        return SideResult(outcome=checked.outcome, error_ratio=checked.error_ratio, mismatch=checked.mismatch)
    outcome = timed.outcome or Outcome(status=Status.PASSED)
    return SideResult(
        outcome=outcome,
        error_ratio=checked.error_ratio,
        time_us=timed.time_us(),
        host_us=timed.host_us(),
        samples=timed.samples(),
    )


def _fault(message: str) -> Exception:
    from agentkernelarena.errors import InfrastructureError

    return InfrastructureError(message)


_NURSERIES: dict[int, Nurseries] = {}


def shared_nurseries() -> Nurseries:
    """The nurseries of this process: kept warm between judgements, ended with the process."""
    pid = os.getpid()
    if pid not in _NURSERIES:
        _NURSERIES.clear()
        _NURSERIES[pid] = Nurseries()
        atexit.register(close_nurseries, pid)
    return _NURSERIES[pid]


def close_nurseries(pid: int | None = None) -> None:
    """End the warm workers of this process (only in the process that started them)."""
    if pid in (None, os.getpid()) and os.getpid() in _NURSERIES:
        _NURSERIES.pop(os.getpid()).close()
