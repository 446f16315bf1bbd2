"""Correctness once more with an instrumented build, which reports accesses out of bounds by file and line."""

from __future__ import annotations

import re

from agentkernelarena.judge.buffer import Buffers
from agentkernelarena.judge.check import outcome_of
from agentkernelarena.judge.compile_gate import Product
from agentkernelarena.judge.correctness_gate import families
from agentkernelarena.judge.draw import Source
from agentkernelarena.judge.nursery import WorkerFailed
from agentkernelarena.judge.session import Session
from agentkernelarena.result import ConfigurationResult, Gate, Outcome, Status
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.task import Task

_SUMMARY = re.compile(r"SUMMARY: AddressSanitizer: (?P<kind>[\w-]+)")
_FRAME = re.compile(r"#\d+ \S+ in .*?(?P<where>[\w./-]+\.(?:hip|h|hpp|cuh|cpp):\d+)")


class SanitizedCheck:
    """One instrumented side; results are not compared again, only accesses are watched."""

    def __init__(self, task: Task, session: Session, product: Product, source: Source) -> None:
        self.task, self.session = task, session
        self._product, self._source = product, source

    def check(self, cfg: Configuration, result: ConfigurationResult) -> ConfigurationResult:
        """`result`, or what the instrumented build says against it."""
        if not result.submission.outcome.passed:
            return result
        buffers = Buffers(self.session.target, self.task, cfg, 1)
        try:
            artefact = self._product.timed(self.task, cfg)
            self.session.open(artefact, buffers, [0])
            case = self._source.case(cfg, families(self.task, 1, 0)[0])
            self.session.run(artefact, buffers, 0, case, position=0, flush=False)
            return result
        except WorkerFailed as failure:
            outcome = _reported(self.session.log()) or outcome_of(failure, Gate.CORRECTNESS, self.session.log())
            self.session.close()
            side = result.submission.model_copy(update={"outcome": outcome})
            return result.model_copy(update={"submission": side, "speedup": None, "interval": None, "verdict": None})
        finally:
            self.session.forget(buffers)
            buffers.close()


def _reported(log: str) -> Outcome | None:
    """The outcome that an AddressSanitizer report stands for."""
    summary = _SUMMARY.search(log)
    if summary is None:
        return None
    own = [m["where"] for m in _FRAME.finditer(log) if "hip_cpu" not in m["where"] and "include" not in m["where"]]
    place = f" at {own[0].rpartition('/')[2]}" if own else ""
    access = re.search(r"(READ|WRITE) of size \d+", log)
    what = f"{access[0].lower()} out of bounds" if access else "access out of bounds"
    reason = f"AddressSanitizer: {what}{place} ({summary['kind']})"
    return Outcome(status=Status.INCORRECT, reason=reason, gate=Gate.CORRECTNESS)
