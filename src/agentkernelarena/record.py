"""The documents that a run leaves on disk: its settings, its plan, and one record per trial.

Everything that a report shows is computed from these; nothing is read from anywhere else.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from agentkernelarena.result import DeviceFacts, Judgement, Outcome, Record

SCHEMA_VERSION = 1


class Budget(Record):
    """Limits of one trial's agent, enforced by the harness; None means no limit."""

    wall_s: float = Field(default=1800.0, gt=0)
    turns: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost_usd: float | None = Field(default=None, gt=0)


class AgentSettings(Record):
    """One contender of a run: an agent with the settings that make it what it is.

    label: its name in tables (default: the agent's name). command: for the `command` agent, the program and its
    arguments. options: agent-specific settings as text, recorded as they are.
    """

    agent: str
    label: str = ""
    model: str = ""
    command: tuple[str, ...] = ()
    options: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self.label or self.agent


class RunSettings(Record):
    """Everything that makes a run: the run file's content, or what the command line's flags amount to.

    unseen: how many unseen configurations per task. draw: ``random`` (a fresh secret seed), ``public-<n>`` (a fixed
    public draw) or ``secret`` (seed material from a file that is never stored). seed: fixes every random choice of
    the run, for tests; None takes a fresh one.
    """

    agents: tuple[AgentSettings, ...] = Field(min_length=1)
    tasks: tuple[str, ...] = Field(min_length=1)
    target: str = "cpu"
    trials: int = Field(default=1, ge=1, le=1000)
    workers: int = Field(default=1, ge=1, le=256)
    unseen: int = Field(default=12, ge=0, le=1000)
    draw: str = "random"
    seed: int | None = None
    budget: Budget = Budget()
    sandbox: Literal["auto", "bwrap", "none"] = "auto"
    isolation: Literal["auto", "bwrap", "unshare", "none"] = "auto"

    @field_validator("draw")
    @classmethod
    def _known_draw(cls, value: str) -> str:
        if not re.fullmatch(r"random|secret|public-[1-9][0-9]*", value):
            raise ValueError("is none of random, secret, public-<n>")
        return value


class PlannedTrial(Record):
    """One trial of the plan. `id` is its folder's name and unique in the run."""

    id: str
    agent: str
    task: str
    repetition: int


class Versions(Record):
    """Versions that two runs must share to be comparable, and the programs that made the numbers."""

    package: str
    protocol: str
    suite: str
    python: str
    torch: str = ""
    triton: str = ""
    toolchains: dict[str, str] = {}


class NullBand(Record):
    """How far identical code can measure from 1 on this machine (`aka calibrate`): |speedup - 1| at most."""

    target: str
    short_kernels: float
    long_kernels: float
    samples: int
    measured: str


class RunRecord(Record):
    """`run.json`: written before the first trial and never changed.

    commitment: SHA-256 of seed and salt, hexadecimal; `reveal.json` holds both once the run is done.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    created: str
    settings: RunSettings
    plan: tuple[PlannedTrial, ...]
    versions: Versions
    device: DeviceFacts
    commitment: str
    task_digests: dict[str, str]
    null_band: NullBand | None = None


class Reveal(Record):
    """`reveal.json`: opens the commitment when the run has ended. Secret draws reveal nothing and say so.

    digests: SHA-256 of run.json and of every trial.json as they were when the run ended, by path in the run's folder.
    """

    schema_version: int = SCHEMA_VERSION
    seed: str
    salt: str
    note: str = ""
    digests: dict[str, str] = {}


class SubmittedFile(Record):
    """One file of a submission."""

    path: str
    sha256: str
    bytes: int


class SubmissionRecord(Record):
    """The manifest of a frozen submission; `digest` covers paths and contents of all its files."""

    digest: str
    files: tuple[SubmittedFile, ...]
    refused: tuple[str, ...] = ()


class Usage(Record):
    """What an agent consumed; None where nobody counted."""

    turns: int | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class AgentStatus(Record):
    """How the agent's part of a trial ended.

    status: completed, limit (a budget ended it), api_error, timeout, crashed or not_started.
    """

    status: Literal["completed", "limit", "api_error", "timeout", "crashed", "not_started"]
    reason: str = ""
    version: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    usage: Usage = Usage()
    sandbox: str = "none"


class ToolCall(Record):
    """One `./aka` call that the agent made in its workspace."""

    at_s: float
    command: str
    seconds: float
    outcome: str


class HandedIn(Record):
    """`handed_in.json`: what is known of a trial once its agent has ended and its submission is frozen.

    An interruption or a fault after that point does not cost the agent's work: judging starts from here.
    no_submission: why there is nothing to judge, None when there is.
    """

    schema_version: int = SCHEMA_VERSION
    started: str
    seconds: dict[str, float]
    agent_status: AgentStatus
    submission: SubmissionRecord | None = None
    no_submission: Outcome | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class TrialRecord(Record):
    """`trial.json`: one trial, complete. Its presence means that the trial is finished.

    seconds: time per stage (prepare, agent, judge, ...).
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    agent: str
    task: str
    repetition: int
    target: str
    outcome: Outcome
    started: str
    ended: str
    seconds: dict[str, float] = {}
    agent_status: AgentStatus
    submission: SubmissionRecord | None = None
    judgement: Judgement | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attempts: int = 1
