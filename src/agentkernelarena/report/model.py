"""The computed report as typed records: every renderer reads these and computes nothing of its own.

Speedups are baseline time / submission time; means of them are geometric. Intervals are at 95 %; an end is None where
the data cannot give one. Rates have the plan as their denominator unless they say otherwise.
"""

from __future__ import annotations

from pydantic import Field

from agentkernelarena.record import NullBand, Versions
from agentkernelarena.result import DeviceFacts, Record

SCHEMA_VERSION = 1


class Estimated(Record):
    """A value with its interval. units: how many independent units (tasks, or trials of one task) it rests on."""

    value: float
    low: float | None = None
    high: float | None = None
    units: int = 0


class Rate(Record):
    """`count` of `total`, with an interval that respects that trials of one task hang together."""

    count: int
    total: int
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float | None:
        return self.count / self.total if self.total else None


class Quadrants(Record):
    """How planned pairs (baseline, submission) at configurations ended.

    regression: baseline passes, submission fails. improvement: the reverse. not_reached: planned, never judged.
    """

    both_pass: int = 0
    regression: int = 0
    improvement: int = 0
    both_fail: int = 0
    not_reached: int = 0

    @property
    def planned(self) -> int:
        return self.both_pass + self.regression + self.improvement + self.both_fail + self.not_reached

    @property
    def correct(self) -> int:
        return self.both_pass + self.improvement


class FastP(Record):
    """Share of all planned trials that pass and are at least `p` times faster."""

    p: float
    rate: Rate


class Several(Record):
    """With `k` trials per task: probability that one passes, and expected best delivered speedup."""

    k: int
    pass_at_k: float
    best_of_k: float | None


class Generalisation(Record):
    """Seen beside unseen.

    seen, unseen: geometric-mean speedups of passing trials. retention: unseen / seen, over passing trials.
    correct: planned unseen configurations where the submission is right. conditional: the same where the baseline is
    right, P(submission right | baseline right).
    """

    seen: Estimated | None = None
    unseen: Estimated | None = None
    retention: Estimated | None = None
    quadrants: Quadrants = Quadrants()
    correct: Rate
    conditional: Rate


class StratumReport(Record):
    """One stratum of unseen configurations over all tasks of an agent."""

    stratum: str
    speedup: Estimated | None
    retention: Estimated | None
    quadrants: Quadrants
    conditional: Rate


class Worst(Record):
    """The unseen configuration that fared worst: a failure before any slow one. speedup is None for a failure."""

    task: str
    name: str
    label: str
    stratum: str
    speedup: float | None
    reason: str = ""


class ConfigurationReport(Record):
    """One configuration of a task over the trials of an agent; times are medians over trials."""

    name: str
    label: str
    seen: bool
    stratum: str
    quadrants: Quadrants
    speedup: float | None
    low: float | None
    high: float | None
    baseline_us: float | None
    submission_us: float | None
    floor_us: float | None
    reason: str = ""


class TrialReport(Record):
    """One planned trial. status is ``unfinished`` where there is no record yet."""

    id: str
    repetition: int
    status: str
    gate: str = ""
    reason: str = ""
    seen_speedup: float | None = None
    unseen_speedup: float | None = None
    unseen_correct: int = 0
    unseen_planned: int = 0
    scores: dict[str, float | None] = Field(default_factory=dict)
    agent_status: str = ""
    agent_seconds: float | None = None
    judge_seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None


class TaskReport(Record):
    """One task of an agent.

    verdict: faster, slower, no change (within the null band), unclear (its interval holds 1), failed, unfinished, or
    smoke where times are not ranked. interval_from: ``trials``, or ``measurement`` (one trial: the timing's own noise).
    """

    task: str
    category: str
    planned: int
    passed: int
    outcomes: dict[str, int]
    generalisation: Generalisation
    speed_of_light: float | None
    verdict: str
    null_band: float | None
    interval_from: str
    worst: Worst | None
    configurations: tuple[ConfigurationReport, ...]
    trials: tuple[TrialReport, ...]


class GroupReport(Record):
    """A category's tasks, or all of an agent's.

    delivered: geometric-mean speedup over all scored trials, where one that did not pass counts as 1; gain is its
    log2. paper: mean of the published score. unscored: planned trials that the harness failed or that are unfinished.
    """

    name: str
    tasks: int
    planned: int
    unscored: int
    outcomes: dict[str, int]
    compiled: Rate
    correct: Rate
    passed: Rate
    delivered: Estimated | None
    gain: Estimated | None
    paper: Estimated | None
    speed_of_light: Estimated | None
    fast_p: tuple[FastP, ...]
    generalisation: Generalisation


class UsageReport(Record):
    """Sums over an agent's finished trials; None where nobody counted."""

    agent_hours: float
    judge_hours: float
    tokens: int | None
    cost_usd: float | None


class AgentReport(Record):
    """One contender."""

    name: str
    agent: str
    model: str
    overall: GroupReport
    categories: tuple[GroupReport, ...]
    strata: tuple[StratumReport, ...]
    several: tuple[Several, ...]
    fast_p_curve: tuple[tuple[float, float], ...]
    worst: Worst | None
    usage: UsageReport
    tasks: tuple[TaskReport, ...]


class Report(Record):
    """A whole run. ranked: whether its times may be compared; `cpu` times never are. notes: what a reader must know."""

    schema_version: int = SCHEMA_VERSION
    run: str
    created: str
    target: str
    ranked: bool
    device: DeviceFacts
    versions: Versions
    draw: str
    commitment: str
    revealed: bool
    unseen: int
    trials: int
    planned: int
    finished: int
    null_band: NullBand | None
    notes: tuple[str, ...]
    agents: tuple[AgentReport, ...]
