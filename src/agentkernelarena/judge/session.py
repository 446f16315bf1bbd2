"""A session: one side (baseline or submission) of one trial, talking to its worker.

Every call goes through `Session.run`: fresh values, poisoned outputs, the call, outputs copied at once, guard bands and
inputs inspected, results compared. There is no other way to run a kernel, so a timed call is a checked call.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from agentkernelarena.judge.buffer import Buffers
from agentkernelarena.judge.check import Call
from agentkernelarena.judge.draw import Case
from agentkernelarena.judge.flag import FlagPage
from agentkernelarena.judge.nursery import Nurseries, WorkerFailed, WorkerHandle
from agentkernelarena.judge.wire import Json, Message
from agentkernelarena.target import Target

if TYPE_CHECKING:
    from pathlib import Path

    import torch


# How long the host side of a call may take before the call counts as one that waits for the device.
_QUEUE_S = 2.0


# Calls that take longer are not preceded by a run on the same buffers: first-touch costs are small beside them.
_PRIMED_BELOW_US = 3000.0
# Empty calls per configuration; the lower quartile of their brackets is what a call's bracket is counted from.
_PROBES = 12


class _Blocked(Exception):
    """The call waits for the device by itself, so it cannot be queued."""


@dataclass(frozen=True)
class Artefact:
    """Something a worker can load: a built library or a folder of sources, in a language."""

    id: str
    path: Path
    main: str
    language: str


class Session:
    """See the module's docstring. One worker at a time; `restart` gives a fresh one."""

    def __init__(
        self,
        target: Target,
        nurseries: Nurseries,
        side: str,
        engine: str,
        salt: int,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = settings or {}
        self.target, self.side, self.engine = target, side, engine
        self._nurseries = nurseries
        self._poison = salt
        self._worker: WorkerHandle | None = None
        self._language = ""
        self._loaded: set[str] = set()
        self._attached: dict[int, str] = {}
        self._arenas = 0
        self._flags: FlagPage | None = None
        self._empty_us: dict[int, float] = {}
        self._blocking: set[str] = set()
        self._last_us = 0.0
        self._used_s = {False: 0.0, True: 0.0}
        self.overhead_us = 0.0

    def open(self, artefact: Artefact, buffers: Buffers, sets: list[int]) -> None:
        """Make sure that a worker has loaded `artefact` and bound `sets` of `buffers`.

        Raises:
            WorkerFailed: loading failed, crashed or took too long.
        """
        limits = self.target.deadlines
        if self._worker is not None and self._language != artefact.language:
            self.close()
        if self._worker is None:
            self._start(artefact.language)
        worker = self._worker
        assert worker is not None
        self._resume()
        if artefact.id not in self._loaded:
            path = worker.nursery.deliver(artefact.path, artefact.main)
            arguments = cast(list[list[Json]], buffers.describe([0]))[0]
            worker.ask(
                {
                    "op": "load",
                    "artefact": artefact.id,
                    "path": path,
                    "language": artefact.language,
                    "arguments": arguments,
                },
                limits.load_s,
            )
            self._loaded.add(artefact.id)
        arena = self._attached.get(id(buffers))
        if arena is None:
            self._arenas += 1
            arena = self._attached[id(buffers)] = str(self._arenas)
            descriptor = dict(buffers.arena.descriptor())
            worker.ask(
                {"op": "attach", "arena": arena, "descriptor": cast(Json, descriptor)},
                limits.load_s,
                buffers.arena.fds(),
            )
        worker.ask(
            {"op": "bind", "artefact": artefact.id, "arena": arena, "sets": buffers.describe(sets)}, limits.load_s
        )
        self._pause()

    def warm(self, language: str) -> None:
        """Start the worker for `language` if there is none, so that it is ready when `open` needs it.

        Raises:
            WorkerFailed: the worker did not start.
        """
        if self._worker is None:
            self._start(language)

    def _start(self, language: str) -> None:
        environment = {"OMP_NUM_THREADS": "1", **self.target.worker_settings(language), **self._settings}
        nursery = self._nurseries.get(self.side, language, self.engine, environment, self.target.devices())
        self._worker = nursery.fork()
        self._language = language
        self._worker.ask(
            {
                "op": "device",
                "module": self.target.worker_module,
                "settings": cast(Json, dict(self.target.device_settings())),
            },
            self.target.deadlines.load_s,
        )
        if self.target.queued:
            self._flags = FlagPage()
            self._worker.ask({"op": "flags"}, 30.0, [self._flags.fd])
        pings, spent = [], []
        for _ in range(5):
            before_us = self._resume()
            start = time.perf_counter_ns()
            self._worker.ask({"op": "ping"}, 10.0)
            pings.append((time.perf_counter_ns() - start) / 1e3)
            spent.append(self._pause() - before_us)
        self.overhead_us = sorted(pings if self.target.queued else spent)[len(pings) // 2]

    def _resume(self) -> float:
        return 0.0 if self.target.queued or self._worker is None else self._worker.resume()

    def _pause(self) -> float:
        """Without a device's queue to hold calls back, a side may run only while it is asked to, its threads included.

        So it cannot prepare anything between calls, slow the other side down, or write into what the other side reads.
        """
        return 0.0 if self.target.queued or self._worker is None else self._worker.pause()

    def run(self, artefact: Artefact, buffers: Buffers, index: int, case: Case, *, position: int, flush: bool) -> Call:
        """One call on set `index` (the `position`-th of the bound ones) with the values of `case`.

        With `flush`, on targets that can queue, the call waits on the device until the values are there and the
        caches are flushed. A call that itself waits for the device cannot be queued: it is then run at once, and the
        judge's bracket is its time. On targets without a queue it is `_processor_time_us`.

        Raises:
            WorkerFailed: it crashed, answered nonsense, took too long, or all calls of this kind together did.
        """
        limit_s = self.target.deadlines.gate_s
        if self._used_s[flush] > limit_s:
            raise WorkerFailed("timeout", f"its calls took more than {limit_s:g} s together")
        start = time.monotonic()
        try:
            return self._run(artefact, buffers, index, case, position, flush)
        finally:
            self._used_s[flush] += time.monotonic() - start

    def _run(self, artefact: Artefact, buffers: Buffers, index: int, case: Case, position: int, flush: bool) -> Call:
        assert self._worker is not None
        if flush and self.target.queued and artefact.id not in self._blocking:
            call = self._run_queued(artefact, buffers, index, case, position)
            if call is not None:
                return call
            self._blocking.add(artefact.id)
        self._poison += 1
        buffers.fill(index, case.values, self._poison)
        self.target.synchronize()
        before_us = self._resume()
        start = time.perf_counter_ns()
        reply = self._worker.ask(
            {
                "op": "run",
                "artefact": artefact.id,
                "set": position,
                "scalars": cast(Json, case.scalars),
                "repeat": 1,
                "flush": flush,
            },
            self.target.deadlines.call_s,
        )
        wall_us = (time.perf_counter_ns() - start) / 1e3
        results = buffers.results(index)
        spent_us = self._pause() - before_us
        (time_us,), (host_us,) = self._worker.times(reply, "time_us"), self._worker.times(reply, "host_us")
        if not self.target.queued:
            time_us = self._processor_time_us(time_us, spent_us)
        elif flush:
            time_us = max(time_us, wall_us - self.overhead_us)
        return Call(time_us, host_us, wall_us, results, self._touched(buffers, index, case))

    def _processor_time_us(self, reported_us: float, spent_us: float) -> float:
        """Time of a call from the processor time that the kernel's account shows for all of the worker's processes.

        Nothing in a worker can change that account, and other programs on the machine hardly do, but it holds what
        asking costs too. So the worker's own clock is believed as far as that leaves room: up to twice what an empty
        call takes, and never below a tenth of it.
        """
        least = max(spent_us - 2 * self.overhead_us, self.overhead_us / 10)
        return min(max(reported_us, least), max(spent_us - self.overhead_us / 2, least))

    def empty_us(self, buffers: Buffers) -> float | None:
        """The bracket of an empty call on `buffers`, None when calls on them are not queued."""
        return self._empty_us.get(id(buffers))

    def set_empty_us(self, buffers: Buffers, empty_us: float) -> None:
        self._empty_us[id(buffers)] = empty_us

    @staticmethod
    def _touched(buffers: Buffers, index: int, case: Case) -> tuple[str, ...]:
        touched = [f"guard band of {g}" for g in buffers.broken_guards(index)]
        return (*touched, *(f"input {n}" for n in buffers.changed_inputs(index, case.values)))

    def _run_queued(self, artefact: Artefact, buffers: Buffers, index: int, case: Case, position: int) -> Call | None:
        empty_us = self._empty_us.get(id(buffers))
        if empty_us is None:
            probes = sorted(self._bracket("", buffers, index, case, position)[1] for _ in range(_PROBES))
            empty_us = self._empty_us[id(buffers)] = probes[_PROBES // 4]
        assert self._worker is not None
        try:
            host_us, bracket_us, results = self._bracket(artefact.id, buffers, index, case, position)
        except _Blocked:
            return None
        reply = self._worker.ask({"op": "collect"}, self.target.deadlines.call_s)
        (time_us,) = self._worker.times(reply, "time_us")
        self._last_us = time_us
        if artefact.language == "torch":
            # Only a reference of ours has something to finish: copying its results to where they belong.
            bracket_us -= self._worker.times(reply, "finish_us")[0]
        return Call(time_us, host_us, bracket_us - empty_us, results, self._touched(buffers, index, case), queued=True)

    def _bracket(
        self,
        artefact: str,
        buffers: Buffers,
        index: int,
        case: Case,
        position: int,
    ) -> tuple[float, float, dict[str, torch.Tensor]]:
        """Queue, fill, flush, release, wait, take the outputs: (host time, bracket in microseconds, outputs)."""
        assert self._worker is not None
        assert self._flags is not None
        request: Message = {
            "op": "queue",
            "artefact": artefact,
            "set": position,
            "scalars": cast(Json, case.scalars),
            "turn": self._flags.next(),
            "prime": bool(artefact) and self._last_us < _PRIMED_BELOW_US,
        }
        reply = self._worker.ask_late(request, _QUEUE_S)
        if reply is None:
            self._flags.release()
            self._worker.answer(self.target.deadlines.call_s)
            self._worker.ask({"op": "collect"}, self.target.deadlines.call_s)
            raise _Blocked
        (host_us,) = self._worker.times(reply, "host_us")
        self._poison += 1
        buffers.fill(index, case.values, self._poison)
        self.target.flush()
        self.target.synchronize()
        start = time.perf_counter_ns()
        self._flags.release()
        done = self._flags.wait(self.target.deadlines.call_s)
        results = buffers.results(index)
        self.target.synchronize()
        bracket_us = (time.perf_counter_ns() - start) / 1e3
        if not done:
            raise WorkerFailed("timeout", f"a call did not end within {self.target.deadlines.call_s:g} s")
        if not artefact:
            self._worker.ask({"op": "collect"}, self.target.deadlines.call_s)
        return host_us, bracket_us, results

    def forget(self, buffers: Buffers) -> None:
        """The buffers are about to be closed: the worker unmaps them."""
        self._empty_us.pop(id(buffers), None)
        arena = self._attached.pop(id(buffers), None)
        if arena is not None and self._worker is not None:
            try:
                self._resume()
                self._worker.ask({"op": "detach", "arena": arena}, 10.0)
                self._pause()
            except WorkerFailed:
                self.close()

    def log(self) -> str:
        return self._worker.log.text() if self._worker is not None else ""

    def close(self) -> None:
        """End the worker with everything that it started."""
        if self._worker is not None:
            self._worker.end()
        self._worker = None
        self._loaded.clear()
        self._attached.clear()
        self._empty_us.clear()
        if self._flags is not None:
            self._flags.close()
        self._flags = None


def share_overheads(sessions: Sequence[Session], buffers: Buffers) -> None:
    """Give both sides of a comparison the smaller of what was measured for each.

    Else the error of two small measurements would show as a speedup of identical code, and a worker that is slow on
    empty calls could hide time behind it.
    """
    overhead_us = min(session.overhead_us for session in sessions)
    empty_us = [e for session in sessions if (e := session.empty_us(buffers)) is not None]
    for session in sessions:
        session.overhead_us = overhead_us
        if empty_us:
            session.set_empty_us(buffers, min(empty_us))
