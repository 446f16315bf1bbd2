"""A GPU target's side in the worker: opens the judge's allocations, queues calls behind the judge's flag.

`queue` puts a call behind a wait on a word of host memory that only the judge sets, once the input values are in
place; so nothing of the call can run on data that it could have known, and launch latency is not part of its time.
What it reports (device events around the call) is checked against the judge's own clock.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentkernelarena.device.memory import tensor_at
from agentkernelarena.device.runtime import Runtime, runtime
from agentkernelarena.judge.wire import Message
from agentkernelarena.task.dtype import DTYPES

if TYPE_CHECKING:
    import torch

_DONE_OFFSET = 64
# Written on the device just before each timed span: the context is then switched in and its clocks are up, which
# otherwise varies by half a microsecond from call to call.
_LEAD_BYTES = 1 << 20


class WorkerDevice:
    """Everything is queued on the legacy default stream, which torch and Triton use too."""

    def __init__(self, settings: Message) -> None:
        vendor = str(settings.get("vendor", "cuda"))
        self.runtime: Runtime = runtime(vendor)
        self.runtime.call("SetDevice", ctypes.c_int(0))
        self.runtime.call("Free", ctypes.c_void_p(0))
        self._start, self._end, self._finished = (self.runtime.event() for _ in range(3))
        self._lead = self.runtime.malloc(_LEAD_BYTES)
        self._flag = self._done = 0

    def flags(self, fd: int) -> None:
        """Map the page that holds the judge's flag and our answer."""
        page = mmap.mmap(fd, mmap.PAGESIZE)
        os.close(fd)
        self._page = page
        self._anchor = ctypes.c_char.from_buffer(page)
        address = self.runtime.register_host(ctypes.addressof(self._anchor), mmap.PAGESIZE)
        self._flag, self._done = address, address + _DONE_OFFSET

    def attach(self, descriptor: Message, fds: list[int]) -> int:
        return self.runtime.open(bytes.fromhex(str(descriptor["handle"])))

    def detach(self, base: int) -> None:
        self.runtime.synchronize()
        self.runtime.unmap(base)

    def tensor(self, address: int, shape: list[int], dtype: str) -> torch.Tensor:
        import torch

        element = DTYPES[dtype]
        count = math.prod(shape)
        torch_dtype = getattr(torch, element.torch_name)
        if count == 0:
            return torch.empty(shape, dtype=torch_dtype, device="cuda")
        return tensor_at(address, count * element.size).view(torch_dtype).reshape(shape)

    def timed(self, call: Callable[[int], None], flush: bool) -> tuple[float, float]:
        """Run at once, without a flag: for warm-up and for correctness."""
        start = time.perf_counter_ns()
        self.runtime.record(self._start, 0)
        call(0)
        self.runtime.record(self._end, 0)
        host_us = (time.perf_counter_ns() - start) / 1e3
        self._wait()
        return self.runtime.elapsed_us(self._start, self._end), host_us

    def queue(self, call: Callable[[int], None], finish: Callable[[], None], turn: int) -> float:
        """Queue wait, call, `finish` and answer; returns the time that the call held the host thread, in us."""
        self.runtime.wait_value(0, self._flag, turn)
        self.runtime.clear(0, self._lead, _LEAD_BYTES)
        self.runtime.record(self._start, 0)
        start = time.perf_counter_ns()
        call(0)
        host_us = (time.perf_counter_ns() - start) / 1e3
        self.runtime.record(self._end, 0)
        finish()
        self.runtime.record(self._finished, 0)
        self.runtime.write_value(0, self._done, turn)
        return host_us

    def prime(self, call: Callable[[int], None], finish: Callable[[], None]) -> None:
        """Run a call on whatever the buffers hold, so that this context's address translations for them are there.

        Without it the first call on a buffer set takes up to 1.4 times as long as the next (measured on an H200).
        """
        call(0)
        finish()
        self._wait()

    def collect(self) -> tuple[float, float]:
        """Wait for the queued call; returns its device time, and what `finish` took, in microseconds."""
        self._wait()
        elapsed = self.runtime.elapsed_us
        return elapsed(self._start, self._end), elapsed(self._end, self._finished)

    def _wait(self) -> None:
        self.runtime.synchronize()
        self.runtime.check(self.runtime.last_error(), "kernel")
