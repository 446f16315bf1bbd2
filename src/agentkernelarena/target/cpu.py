"""The embedded target: HIP kernels as fibers on the host, Triton kernels in its interpreter.

For trying out, for tests and for correctness work without a GPU. Times are measured and kept, marked as smoke, and
never ranked: they say nothing about a GPU.
"""

from __future__ import annotations

import functools
import mmap
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agentkernelarena.device.sealed import sealed_memory
from agentkernelarena.errors import InputError
from agentkernelarena.result import DeviceFacts
from agentkernelarena.target import Deadlines, Effort, Sanitizer
from agentkernelarena.task.axis import Configuration, Value
from agentkernelarena.task.loader import categories
from agentkernelarena.task.sizing import Capacity, fit_configuration, fits_capacity, sized_seen
from agentkernelarena.task.task import Task
from agentkernelarena.toolchain import Missing, Toolchain

if TYPE_CHECKING:
    import torch

# What fibers on the host, and an interpreted Triton program, get through in some tens of milliseconds.
_FIBERS = Capacity(bytes=40 << 10, operations=400_000)
_INTERPRETER = Capacity(bytes=12 << 10, operations=300_000)

_FIBER_EFFORT = Effort(draws=3, repeats=2, sets=2, groups=2, blocks=1, max_blocks=1, half_width=0.1, warmup=1)
_INTERPRETER_EFFORT = Effort(draws=2, repeats=2, sets=1, groups=2, blocks=1, max_blocks=1, half_width=0.1, warmup=0)


class CpuArena:
    """Anonymous shared memory; workers map the same pages by descriptor."""

    def __init__(self, size_bytes: int) -> None:
        import torch

        self._fd = sealed_memory("arena", size_bytes)
        self._map = mmap.mmap(self._fd, size_bytes)
        self._data = torch.frombuffer(self._map, dtype=torch.uint8)
        self._size = size_bytes

    def data(self) -> torch.Tensor:
        return self._data

    def descriptor(self) -> Mapping[str, int | str]:
        return {"bytes": self._size}

    def fds(self) -> list[int]:
        return [self._fd]

    def close(self) -> None:
        os.close(self._fd)


class CpuTarget:
    """See `agentkernelarena.target.Target`."""

    name = "cpu"
    ranked = False
    compile_only = False
    queued = False
    device = "cpu"
    deadlines = Deadlines(compile_s=120.0, load_s=60.0, call_s=20.0, gate_s=180.0)
    worker_module = "agentkernelarena.judge.worker.device_cpu"

    def effort(self, task: Task) -> Effort:
        return _INTERPRETER_EFFORT if _interpreted(task) else _FIBER_EFFORT

    def toolchain(self, language: str) -> Toolchain:
        if language == "hip":
            from agentkernelarena.toolchain.hip_cpu import HipCpu

            return HipCpu()
        if language == "triton":
            from agentkernelarena.toolchain.triton_cpu import TritonCpu

            return TritonCpu()
        raise InputError("language", f"the cpu target has no toolchain for {language!r}", "hip or triton")

    def build_variants(self, language: str) -> tuple[frozenset[str], ...]:
        return (frozenset({"wave64"}), frozenset({"wave32"})) if language == "hip" else (frozenset(),)

    def sanitizer(self, language: str) -> Sanitizer | None:
        """AddressSanitizer, for HIP kernels."""
        from agentkernelarena.toolchain.hip_cpu import HipCpu

        library = HipCpu().preload() if language == "hip" else None
        if library is None:
            return None
        settings = {"LD_PRELOAD": str(library), "ASAN_OPTIONS": "detect_leaks=0:exitcode=99"}
        return Sanitizer(frozenset({"asan", "wave64"}), settings)

    def worker_settings(self, language: str) -> Mapping[str, str]:
        return {"TRITON_INTERPRET": "1"} if language == "triton" else {}

    def missing(self) -> list[Missing]:
        return [m for language in ("hip", "triton") for m in self.toolchain(language).missing()]

    def facts(self) -> DeviceFacts:
        return DeviceFacts(
            target=self.name,
            name=_processor(),
            architecture=platform.machine(),
            driver=platform.release(),
            memory_mib=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
            compute_units=os.cpu_count(),
            notes=("times on this target are smoke: never ranked",),
        )

    def arena(self, size_bytes: int) -> CpuArena:
        return CpuArena(size_bytes)

    def synchronize(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def devices(self) -> tuple[Path, ...]:
        return ()

    def device_settings(self) -> Mapping[str, str]:
        return {}

    def fits(self, task: Task, cfg: Mapping[str, Value]) -> bool:
        return fits_capacity(task, cfg, _capacity(task))

    def fit(self, task: Task, cfg: Configuration) -> Configuration:
        return fit_configuration(task, cfg, _capacity(task))

    def seen(self, task: Task) -> dict[str, Configuration]:
        return sized_seen(task, _capacity(task), limit=3)

    def floor_us(self, task: Task, cfg: Configuration) -> float | None:
        return None


def _interpreted(task: Task) -> bool:
    category = categories()[task.category]
    return "triton" in (category.language, category.baseline_language)


def _capacity(task: Task) -> Capacity:
    return _INTERPRETER if _interpreted(task) else _FIBERS


@functools.cache
def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def present() -> bool:
    """Always."""
    return True


def target(architecture: str) -> CpuTarget:
    """The cpu target; it has no architectures."""
    if architecture:
        raise InputError(f"target cpu:{architecture}", "the cpu target has no architecture", "write --target cpu")
    return CpuTarget()
