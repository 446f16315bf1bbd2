"""What a run tells its observer while it goes on. Observers only look: nothing depends on what they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.record import RunRecord, TrialRecord


@dataclass(frozen=True)
class RunStarted:
    """`run.json` is written. finished: trials that an earlier part of the run has done already."""

    folder: Path
    run: RunRecord
    finished: int


@dataclass(frozen=True)
class TrialStarted:
    """An attempt at a trial begins; `attempt` counts from 1."""

    trial: str
    attempt: int


@dataclass(frozen=True)
class StageEntered:
    """A trial moved on; `stage` is such as ``agent`` or ``judge: compile``."""

    trial: str
    stage: str


@dataclass(frozen=True)
class TrialRetried:
    """The harness failed and the trial is tried once more."""

    trial: str
    reason: str


@dataclass(frozen=True)
class TrialEnded:
    """The trial's record is stored."""

    trial: str
    record: TrialRecord


@dataclass(frozen=True)
class RunEnded:
    """Every planned trial is finished and the seed is revealed."""

    folder: Path


Event = RunStarted | TrialStarted | StageEntered | TrialRetried | TrialEnded | RunEnded
Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The observer that does nothing."""
