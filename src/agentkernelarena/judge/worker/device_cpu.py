"""The cpu target's side in the worker: shared memory by file descriptor, wall-clock timing."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentkernelarena.judge.wire import Message
from agentkernelarena.task.dtype import DTYPES

if TYPE_CHECKING:
    import torch


class WorkerDevice:
    """Maps memfds; a "stream" is always 0."""

    def __init__(self, settings: Message) -> None:
        self._maps: dict[int, tuple[mmap.mmap, object]] = {}
        for name, value in settings.items():
            os.environ[name] = str(value)

    def attach(self, descriptor: Message, fds: list[int]) -> int:
        (fd,) = fds
        mapped = mmap.mmap(fd, int(descriptor["bytes"]))  # type: ignore[arg-type]
        os.close(fd)
        anchor = ctypes.c_char.from_buffer(mapped)
        base = ctypes.addressof(anchor)
        self._maps[base] = mapped, anchor
        return base

    def detach(self, base: int) -> None:
        """Nothing: a tensor that a submission kept must not point into nothing, and these arenas are small."""

    def tensor(self, address: int, shape: list[int], dtype: str) -> torch.Tensor:
        import torch

        element = DTYPES[dtype]
        count = math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=getattr(torch, element.torch_name))
        raw = (ctypes.c_uint8 * (count * element.size)).from_address(address)
        flat = torch.frombuffer(raw, dtype=getattr(torch, element.torch_name))
        return flat.reshape(shape)

    def timed(self, call: Callable[[int], None], flush: bool) -> tuple[float, float]:
        start = time.perf_counter_ns()
        call(0)
        elapsed_us = (time.perf_counter_ns() - start) / 1e3
        return elapsed_us, elapsed_us
