"""What judging produces: outcomes, gate results, configuration results, one judgement per trial.

Frozen pydantic models, because they are written to disk as they are; every later stage (score, store, report) reads
only these. A number that was not measured is None; it is never 0 or -1.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from agentkernelarena.task.axis import Value


class Record(BaseModel):
    """Base of everything that is written to disk: immutable, unknown keys rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Status(StrEnum):
    """The closed set of outcomes of a planned trial. Every trial ends in exactly one."""

    PASSED = "passed"
    NO_SUBMISSION = "no_submission"
    COMPILE_ERROR = "compile_error"
    INCORRECT = "incorrect"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    TAMPERED = "tampered"
    TIMING_INCONSISTENT = "timing_inconsistent"
    IMPOSSIBLE_TIME = "impossible_time"
    AGENT_ERROR = "agent_error"
    INFRASTRUCTURE_ERROR = "infrastructure_error"

    @property
    def is_scored(self) -> bool:
        """Whether the submission (rather than the harness) caused it."""
        return self is not Status.INFRASTRUCTURE_ERROR


class Gate(StrEnum):
    """The three gates in order."""

    COMPILE = "compile"
    CORRECTNESS = "correctness"
    PERFORMANCE = "performance"


class Outcome(Record):
    """A status with its reason in a sentence, and the gate that decided (None before any gate)."""

    status: Status
    reason: str = ""
    gate: Gate | None = None

    @property
    def passed(self) -> bool:
        return self.status is Status.PASSED


class KernelUse(Record):
    """What one device kernel needs, as its compiler reports it; None where it does not say."""

    kernel: str
    build: str = ""
    registers: int | None = None
    scalar_registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    occupancy_waves: int | None = None


class GateResult(Record):
    """How one gate ended for the whole trial.

    log: the compiler's or worker's own output, cut to a limit. resources: of the submission's kernels (compile gate).
    """

    gate: Gate
    outcome: Outcome
    seconds: float
    log: str = ""
    resources: tuple[KernelUse, ...] = ()


class Mismatch(Record):
    """The first (worst) element that left its error bound."""

    output: str
    index: tuple[int, ...]
    value: float | int | str
    expected: float | int | str
    bound: float
    draw: str
    wrong_elements: int
    elements: int


class Samples(Record):
    """Raw timings of one side at one configuration, in the order in which they were taken.

    `time_us` is device time per call (on `cpu`: wall time in the worker); `host_us` the time that the call held the
    host thread; `wall_us` what the judge's own clock saw; `group` says which buffer set each call used.
    """

    time_us: tuple[float, ...] = ()
    host_us: tuple[float, ...] = ()
    wall_us: tuple[float, ...] = ()
    group: tuple[int, ...] = ()


class SideResult(Record):
    """How one side (baseline or submission) fared at one configuration.

    `error_ratio` is the largest error over its bound (at most 1 when right), None when nothing was compared.
    `time_us` is the trimmed mean of the samples, None when the performance gate was not reached.
    """

    outcome: Outcome
    error_ratio: float | None = None
    mismatch: Mismatch | None = None
    time_us: float | None = None
    host_us: float | None = None
    samples: Samples = Samples()


class Verdict(StrEnum):
    """What the interval of the ratio says."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNSTABLE = "unstable"


class Interval(Record):
    """A two-sided interval at `level`."""

    low: float
    high: float
    level: float = 0.95


class ConfigurationResult(Record):
    """One configuration, seen or unseen, for both sides.

    name: the workload's name (seen) or ``unseen-<n>``. stratum: how an unseen one was drawn, "" for seen ones.
    speedup: baseline time / submission time, None unless both sides passed. floor_us: physical lower bound of the
    operator's work on this device, None where the device's peaks are not known. bound_k: how many accumulation
    roundoffs the error bound allowed here, as the baseline calibrated it.
    """

    name: str
    seen: bool
    stratum: str = ""
    configuration: dict[str, Value]
    baseline: SideResult
    submission: SideResult
    speedup: float | None = None
    interval: Interval | None = None
    verdict: Verdict | None = None
    floor_us: float | None = None
    bound_k: float | None = None


class DeviceFacts(Record):
    """What a target says of itself; None where it cannot tell."""

    target: str
    name: str
    architecture: str = ""
    driver: str = ""
    runtime: str = ""
    memory_mib: int | None = None
    cache_mib: float | None = None
    compute_units: int | None = None
    wavefront: int | None = None
    shared_bytes: int | None = None
    copy_gb_per_s: float | None = None
    rates_tflops: dict[str, float] = {}
    notes: tuple[str, ...] = ()


class Judgement(Record):
    """All that the judge says about one submission."""

    schema_version: int = 1
    protocol: str
    task: str
    task_digest: str
    submission_digest: str
    target: str
    ranked: bool
    isolation: str
    outcome: Outcome
    gates: tuple[GateResult, ...] = ()
    configurations: tuple[ConfigurationResult, ...] = ()
    seconds: float = 0.0

    @property
    def seen(self) -> tuple[ConfigurationResult, ...]:
        return tuple(c for c in self.configurations if c.seen)

    @property
    def unseen(self) -> tuple[ConfigurationResult, ...]:
        return tuple(c for c in self.configurations if not c.seen)
