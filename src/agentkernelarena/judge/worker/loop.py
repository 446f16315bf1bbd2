"""The worker's loop: attach to the judge's buffers, load an artefact, run calls, report times."""

from __future__ import annotations

import importlib
import traceback
from typing import Protocol, cast

from agentkernelarena.judge.wire import Channel, Closed, Json, Message

_TEXT_LIMIT = 8000


class Device(Protocol):
    """Where calls run: opens arenas, times calls. One implementation in each target's `worker` module."""

    def attach(self, descriptor: Message, fds: list[int]) -> int:
        """Map the judge's arena; returns its base address in this process."""
        ...

    def detach(self, base: int) -> None:
        """Unmap an arena."""
        ...

    def tensor(self, address: int, shape: list[int], dtype: str) -> object:
        """A torch tensor over existing memory."""
        ...

    def timed(self, call: object, flush: bool) -> tuple[float, float]:
        """Run `call(stream)` and wait for it; returns (device or wall time, host time), both in microseconds."""
        ...


class QueuedDevice(Device, Protocol):
    """A device that can hold a call back behind a flag of the judge's."""

    def flags(self, fd: int) -> None:
        """Map the page of host memory that holds the flag and our answer."""
        ...

    def queue(self, call: object, finish: object, turn: int) -> float:
        """Queue wait, `call(stream)`, `finish()` outside the timed span, and answer; returns host time in us."""
        ...

    def prime(self, call: object, finish: object) -> None:
        """Run `call(stream)` and `finish()` at once, to warm what a first touch of the buffers costs."""
        ...

    def collect(self) -> tuple[float, float]:
        """Wait for the queued call; returns its device time, and what `finish` took, in microseconds."""
        ...


class Runner(Protocol):
    """How an artefact of one language is loaded and called."""

    def bind(self, sets: list[list[Argument]]) -> None: ...

    def call(self, index: int, scalars: dict[str, float | int], stream: int) -> None: ...

    def finish(self) -> None:
        """What remains to be done after the timed span (copying results of the torch reference)."""
        ...


Argument = dict[str, Json]


class Worker:
    """State of one worker process."""

    def __init__(self) -> None:
        self.device: Device | None = None
        self.runners: dict[str, Runner] = {}
        self.bases: dict[str, int] = {}

    def obey(self, request: Message, fds: list[int]) -> Message:
        match request["op"]:
            case "device":
                module = importlib.import_module(str(request["module"]))
                self.device = module.WorkerDevice(request["settings"])
                return {}
            case "attach":
                assert self.device is not None
                self.bases[str(request["arena"])] = self.device.attach(cast(Message, request["descriptor"]), fds)
                return {}
            case "detach":
                assert self.device is not None
                for runner in self.runners.values():
                    runner.bind([])
                self.device.detach(self.bases.pop(str(request["arena"])))
                return {}
            case "load":
                return self._load(request)
            case "bind":
                sets = cast(list[list[Argument]], request["sets"])
                base = self.bases[str(request["arena"])]
                for arguments in sets:
                    for argument in arguments:
                        if "offset" in argument:
                            argument["address"] = base + cast(int, argument["offset"])
                self.runners[str(request["artefact"])].bind(sets)
                return {}
            case "run":
                return self._run(request)
            case "flags":
                cast(QueuedDevice, self.device).flags(*fds)
                return {}
            case "queue":
                return self._queue(request)
            case "collect":
                time_us, finish_us = cast(QueuedDevice, self.device).collect()
                return {"time_us": [time_us], "finish_us": [finish_us]}
            case "ping":
                return {}
        return {"error": f"unknown request {request['op']!r}", "kind": "protocol"}

    def _load(self, request: Message) -> Message:
        assert self.device is not None
        module = importlib.import_module(f"agentkernelarena.judge.worker.{request['language']}")
        path, arguments = str(request["path"]), cast(list[Argument], request["arguments"])
        self.runners[str(request["artefact"])] = module.load(path, arguments, self.device)
        return {}

    def _run(self, request: Message) -> Message:
        assert self.device is not None
        runner = self.runners[str(request["artefact"])]
        index, scalars = cast(int, request["set"]), cast(dict[str, float | int], request["scalars"])

        def call(stream: int) -> None:
            runner.call(index, scalars, stream)

        times, hosts = [], []
        for _ in range(cast(int, request["repeat"])):
            time_us, host_us = self.device.timed(call, bool(request["flush"]))
            times.append(time_us)
            hosts.append(host_us)
        runner.finish()
        return {"time_us": cast(list[Json], times), "host_us": cast(list[Json], hosts)}

    def _queue(self, request: Message) -> Message:
        name = str(request["artefact"])
        index, scalars = cast(int, request["set"]), cast(dict[str, float | int], request["scalars"])
        runner = self.runners[name] if name else None

        def call(stream: int) -> None:
            if runner is not None:
                runner.call(index, scalars, stream)

        def finish() -> None:
            if runner is not None:
                runner.finish()

        device = cast(QueuedDevice, self.device)
        if request["prime"]:
            device.prime(call, finish)
        host_us = device.queue(call, finish, cast(int, request["turn"]))
        return {"host_us": [host_us]}


def serve(channel: Channel) -> None:
    """Obey requests until the judge closes the channel."""
    worker = Worker()
    while True:
        try:
            request = channel.receive()
        except Closed:
            return
        if request["op"] == "stop":
            return
        try:
            reply = worker.obey(request, channel.take_fds())
        except Exception as error:
            kind = "load" if request["op"] == "load" else "call"
            text = "".join(traceback.format_exception(error))[-_TEXT_LIMIT:]
            reply = {"error": f"{type(error).__name__}: {error}"[:_TEXT_LIMIT], "trace": text, "kind": kind}
        reply["nonce"] = request["nonce"]
        channel.send(reply)
