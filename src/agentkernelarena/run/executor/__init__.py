"""Executors: where trials are carried out. One file per kind, found by name; each assigns `EXECUTOR`.

An executor takes jobs and reports what becomes of them, in any order. What a job means (one attempt at one trial) is
`agentkernelarena.run.trial`'s affair: it leaves the record in the store, and only words come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from agentkernelarena import plugin
from agentkernelarena.commitment import RunSeed


@dataclass(frozen=True)
class Job:
    """One attempt at one trial of the run in `folder`; `attempt` counts from 1."""

    folder: Path
    trial: str
    attempt: int


@dataclass(frozen=True)
class Begun:
    """A worker has taken the job."""

    job: Job


@dataclass(frozen=True)
class Stage:
    """The job has come to a stage of the flow."""

    job: Job
    stage: str


@dataclass(frozen=True)
class Done:
    """The job is over. fault: empty when the trial's record is stored, else what failed in the harness."""

    job: Job
    fault: str = ""


Report = Begun | Stage | Done


class Session(Protocol):
    """A started executor. Leaving the context ends every process that it started, at once."""

    def submit(self, job: Job) -> None:
        """Queue a job; returns immediately."""
        ...

    def next(self) -> Report:
        """Wait for the next report."""
        ...

    def __enter__(self) -> Session: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Executor(Protocol):
    """A kind of executor."""

    def preflight(self, workers: int) -> None:
        """Raise `InputError` when it cannot work here."""
        ...

    def start(self, workers: int, seed: RunSeed) -> Session:
        """Start up to `workers` jobs at a time; `seed` reaches the jobs by a private channel, never by a file."""
        ...


def load(name: str) -> Executor:
    """The executor called `name`; raise `InputError` for an unknown one."""
    executor: Executor = plugin.load("run.executor", name).EXECUTOR
    return executor
