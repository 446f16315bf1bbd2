"""A page of host memory shared by judge and worker: the judge's flag, and the worker's answer.

A queued call waits for the flag on the device. The judge writes the input values, flushes the caches, and only then
sets the flag; so a call cannot run before the data exist, and what the judge measures begins at a moment that it
chose. The answer is untrusted like all that comes from a worker: it ends the judge's waiting, not its clock.
"""

from __future__ import annotations

import mmap
import os
import struct
import time

from agentkernelarena.device.sealed import sealed_memory

_DONE_OFFSET = 64
_WORD = struct.Struct("I")


class FlagPage:
    """One page; `turn` numbers grow by one per call."""

    def __init__(self) -> None:
        self.fd = sealed_memory("flags", mmap.PAGESIZE)
        self._page = mmap.mmap(self.fd, mmap.PAGESIZE)
        self.turn = 0

    def next(self) -> int:
        self.turn += 1
        return self.turn

    def release(self) -> None:
        """Let the call of the current turn run."""
        _WORD.pack_into(self._page, 0, self.turn)

    def wait(self, timeout_s: float) -> bool:
        """Spin until the worker's device says that it is done; False after `timeout_s`."""
        deadline = time.perf_counter() + timeout_s
        unpack, page, turn = _WORD.unpack_from, self._page, self.turn
        while unpack(page, _DONE_OFFSET)[0] != turn:
            if time.perf_counter() > deadline:
                return False
        return True

    def close(self) -> None:
        self._page.close()
        os.close(self.fd)
