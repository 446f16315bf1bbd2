"""Targets: the places where kernels run. One file per kind, found by name: `cpu`, `nvidia`, `amd`.

A target's full name may carry an architecture, ``amd:gfx942``; without the hardware it can still compile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from agentkernelarena import plugin
from agentkernelarena.errors import InputError
from agentkernelarena.result import DeviceFacts
from agentkernelarena.task.axis import Configuration, Value
from agentkernelarena.task.task import Task
from agentkernelarena.toolchain import Missing, Toolchain

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Effort:
    """How much a target's speed allows the gates to do; recorded as part of the protocol.

    draws: value draws per configuration in the correctness gate. repeats: how often the first of them is run.
    sets: buffer sets per group. groups: buffer groups that the two sides swap. blocks: rounds over all sets, each
    A B B A,
    at least; max_blocks: the cap of adaptive sampling. half_width: the relative half-width of the interval at which
    sampling stops. warmup: untimed calls per side before sampling.
    """

    draws: int
    repeats: int
    sets: int
    groups: int
    blocks: int
    max_blocks: int
    half_width: float
    warmup: int


@dataclass(frozen=True)
class Deadlines:
    """Longest time for each step, in seconds; what exceeds one ends as `timeout` of that gate."""

    compile_s: float = 180.0
    load_s: float = 60.0
    call_s: float = 60.0
    gate_s: float = 600.0


@dataclass(frozen=True)
class Sanitizer:
    """Build options, and the environment of a worker that loads what they build."""

    options: frozenset[str]
    settings: Mapping[str, str]


class Arena(Protocol):
    """One block of memory that the judge owns and workers map."""

    def data(self) -> torch.Tensor:
        """The block as a uint8 tensor on the target's device."""
        ...

    def descriptor(self) -> Mapping[str, int | str]:
        """What a worker needs to map it, besides `fds`."""
        ...

    def fds(self) -> list[int]: ...

    def close(self) -> None: ...


class Target(Protocol):
    """One place where kernels run.

    name: such as ``cpu`` or ``nvidia:sm_90``. ranked: whether its timings may be ranked. compile_only: no device
    here, only the compile gate works. device: torch's name of the device where the judge's tensors live.
    queued: whether calls can be queued on the device behind a flag of the judge's (GPUs).
    """

    name: str
    ranked: bool
    compile_only: bool
    queued: bool
    device: str
    deadlines: Deadlines
    worker_module: str

    def effort(self, task: Task) -> Effort:
        """How thoroughly this target can afford to judge `task`."""
        ...

    def toolchain(self, language: str) -> Toolchain: ...

    def build_variants(self, language: str) -> tuple[frozenset[str], ...]:
        """Sets of build options: the first is timed, the others are checked for correctness only."""
        ...

    def sanitizer(self, language: str) -> Sanitizer | None:
        """The build that finds accesses out of bounds, None where this target has none for `language`."""
        ...

    def worker_settings(self, language: str) -> Mapping[str, str]:
        """Environment of a worker for `language`."""
        ...

    def missing(self) -> list[Missing]: ...

    def facts(self) -> DeviceFacts: ...

    def arena(self, size_bytes: int) -> Arena: ...

    def synchronize(self) -> None: ...

    def flush(self) -> None:
        """Evict everything from the device's caches."""
        ...

    def devices(self) -> tuple[Path, ...]:
        """Device nodes that a worker needs."""
        ...

    def device_settings(self) -> Mapping[str, str]:
        """What the worker's device module is made with."""
        ...

    def fits(self, task: Task, cfg: Mapping[str, Value]) -> bool:
        """Whether a configuration is small enough for this target's memory and speed."""
        ...

    def fit(self, task: Task, cfg: Configuration) -> Configuration:
        """The configuration itself, or a smaller one like it that fits."""
        ...

    def seen(self, task: Task) -> dict[str, Configuration]:
        """The task's seen configurations, sized to this target and without repetition."""
        ...

    def floor_us(self, task: Task, cfg: Configuration) -> float | None:
        """Physical lower bound of a call's time, None where the device's peaks are not known."""
        ...


def names() -> list[str]:
    """Kinds of target."""
    return plugin.names("target")


def load(name: str) -> Target:
    """The target called `name`, with or without architecture; raise `InputError` for an unknown one."""
    kind, _, architecture = resolve(name).partition(":")
    target: Target = plugin.load("target", kind).target(architecture)
    return target


def resolve(name: str) -> str:
    """Turn ``auto`` into the best target that is present; other names are returned as they are."""
    if name != "auto":
        if not name:
            raise InputError("--target", "is empty", f"known: {', '.join(names())}")
        return name
    for kind in ("nvidia", "amd"):
        if kind in names() and plugin.load("target", kind).present():
            return kind
    return "cpu"
