"""What the GPU targets share: everything that goes through PyTorch's device API and the runtime, on either vendor."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agentkernelarena.device import peak
from agentkernelarena.device.runtime import runtime
from agentkernelarena.result import DeviceFacts
from agentkernelarena.target import Deadlines, Effort, Sanitizer
from agentkernelarena.task.axis import Configuration, Value
from agentkernelarena.task.sizing import Capacity, fits_capacity
from agentkernelarena.task.task import Task
from agentkernelarena.toolchain import Missing, Toolchain

if TYPE_CHECKING:
    import torch

EFFORT = Effort(draws=6, repeats=4, sets=2, groups=2, blocks=2, max_blocks=8, half_width=0.005, warmup=3)


class GpuArena:
    """One device allocation of the judge's, opened by workers through an IPC handle."""

    def __init__(self, vendor: str, size_bytes: int) -> None:
        from agentkernelarena.device.memory import tensor_at

        self._runtime = runtime(vendor)
        self._size = max(size_bytes, 1 << 20)
        self._address = self._runtime.malloc(self._size)
        self._handle = self._runtime.export(self._address)
        self._data: torch.Tensor | None = tensor_at(self._address, self._size)

    def data(self) -> torch.Tensor:
        assert self._data is not None
        return self._data

    def descriptor(self) -> Mapping[str, int | str]:
        return {"bytes": self._size, "handle": self._handle.hex()}

    def fds(self) -> list[int]:
        return []

    def close(self) -> None:
        self._data = None
        self._runtime.synchronize()
        self._runtime.free(self._address)


class GpuTarget:
    """See `agentkernelarena.target.Target`; `vendor` is ``cuda`` or ``hip``."""

    ranked = True
    device = "cuda"
    queued = True
    deadlines = Deadlines(compile_s=180.0, load_s=120.0, call_s=30.0, gate_s=600.0)
    worker_module = "agentkernelarena.judge.worker.device_gpu"

    def __init__(self, kind: str, vendor: str, architecture: str, *, compile_only: bool) -> None:
        self.kind, self.vendor, self.architecture, self.compile_only = kind, vendor, architecture, compile_only
        self.name = f"{kind}:{architecture}"

    def toolchain(self, language: str) -> Toolchain:
        """The vendor's compiler for `language`."""
        raise NotImplementedError

    def missing(self) -> list[Missing]:
        return [m for language in ("hip", "triton") for m in self.toolchain(language).missing()]

    def effort(self, task: Task) -> Effort:
        return EFFORT

    def build_variants(self, language: str) -> tuple[frozenset[str], ...]:
        return (frozenset(),)

    def sanitizer(self, language: str) -> Sanitizer | None:
        """None yet: compute-sanitizer is a program around a process, not a build."""
        return None

    def worker_settings(self, language: str) -> Mapping[str, str]:
        kept = {n: os.environ[n] for n in ("LD_LIBRARY_PATH", "CUDA_HOME", "ROCM_PATH") if n in os.environ}
        return {**kept, "TRITON_CACHE_DIR": "/tmp/triton"}

    def devices(self) -> tuple[Path, ...]:
        """The nodes of the device, as far as they exist: workers get these and no others."""
        patterns = (
            ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm*", "nvidia-modeset")
            if self.vendor == "cuda"
            else ("kfd", "dri/renderD*")
        )
        return tuple(sorted(p for pattern in patterns for p in Path("/dev").glob(pattern)))

    def device_settings(self) -> Mapping[str, str]:
        return {"vendor": self.vendor}

    def arena(self, size_bytes: int) -> GpuArena:
        return GpuArena(self.vendor, size_bytes)

    def synchronize(self) -> None:
        import torch

        torch.cuda.synchronize()

    @functools.cached_property
    def _scratch(self) -> torch.Tensor:
        import torch

        return torch.zeros(2, 2 * self.cache_bytes() // 4 + 1024, dtype=torch.float32, device=self.device)

    def flush(self) -> None:
        """Write, then read, twice the last-level cache each: what stays in it is clean and nobody's.

        Without the read the cache is full of modified lines, and their write-back falls into the timed call.
        """
        self._scratch[0].add_(1.0)
        self._scratch[1].max()

    def cache_bytes(self) -> int:
        """Size of the last-level cache, AMD's memory-side one included."""
        import torch

        l2 = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)) or (64 << 20)
        return max(l2, peak.MEMORY_SIDE_CACHE.get(self.architecture, 0), 32 << 20)

    @functools.cached_property
    def _peaks(self) -> peak.Peaks:
        return peak.peaks(self.vendor)

    def facts(self) -> DeviceFacts:
        if self.compile_only:
            return DeviceFacts(
                target=self.name,
                name="not present",
                architecture=self.architecture,
                notes=("compile only: no such device here",),
            )
        import torch

        properties = torch.cuda.get_device_properties(0)
        return DeviceFacts(
            target=self.name,
            name=properties.name,
            architecture=self.architecture,
            driver=peak.driver(self.vendor),
            runtime=str(torch.version.cuda or torch.version.hip),
            memory_mib=properties.total_memory >> 20,
            cache_mib=self.cache_bytes() / 2**20,
            compute_units=properties.multi_processor_count,
            wavefront=int(getattr(properties, "warp_size", 0)) or None,
            shared_bytes=int(getattr(properties, "shared_memory_per_block_optin", 0)) or None,
            copy_gb_per_s=self._peaks.copy_gb_per_s,
            rates_tflops=dict(self._peaks.rates_tflops),
        )

    @functools.cached_property
    def _capacity(self) -> Capacity:
        if self.compile_only:
            return Capacity(bytes=8 << 30, operations=10**14)
        import torch

        # Arguments lie in the arena four times, once private, and in float64 a few times more.
        return Capacity(bytes=torch.cuda.get_device_properties(0).total_memory // 48, operations=4 * 10**12)

    def fits(self, task: Task, cfg: Mapping[str, Value]) -> bool:
        return fits_capacity(task, cfg, self._capacity)

    def fit(self, task: Task, cfg: Configuration) -> Configuration:
        return cfg

    def seen(self, task: Task) -> dict[str, Configuration]:
        return dict(task.seen)

    def floor_us(self, task: Task, cfg: Configuration) -> float | None:
        if self.compile_only:
            return None
        work = task.mathematics.work(cfg)
        memory_us = work.bytes / (self._peaks.copy_gb_per_s * 1e3)
        rate = self._peaks.rates_tflops.get(work.rate) or max(self._peaks.rates_tflops.values(), default=math.inf)
        return peak.FLOOR_SHARE * max(memory_us, work.operations / (rate * 1e6))
