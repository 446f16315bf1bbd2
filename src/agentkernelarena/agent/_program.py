"""Running an agent's program in its workspace: confined, within the wall time, with its output kept up to a limit."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agentkernelarena.agent import AgentTask
from agentkernelarena.errors import InputError, nearest
from agentkernelarena.record import AgentSettings, AgentStatus, Usage
from agentkernelarena.sandbox import Bind, Process, launch

LOG_BYTES = 16 * 2**20
LINE_BYTES = 4 * 2**20
_CHUNK = 65536


@dataclass(frozen=True)
class Ended:
    """How a program ended. exit_code: None when the wall time was used up. exceeded: the limit that ended it, or ""."""

    exit_code: int | None
    seconds: float
    exceeded: str
    enforcement: tuple[str, ...]
    stopped: str = ""
    """Why the harness ended it early (a budget of turns, tokens or cost), or ""."""

    @property
    def started(self) -> bool:
        """Whether the program could be started at all."""
        return self.exit_code not in (125, 126, 127)


class Stop:
    """Lets a reader of the output end the program before its time, with a reason."""

    def __init__(self) -> None:
        self._event, self.reason = threading.Event(), ""

    def __call__(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._event.set()

    def wait(self, seconds: float) -> bool:
        return self._event.wait(seconds)


def run_program(task: AgentTask, argv: Sequence[str], *, log: str = "agent.log",
                environment: Mapping[str, str] | None = None, read_only: tuple[Bind, ...] = (), network: bool = False,
                on_line: Callable[[bytes], None] | None = None, stop: Stop | None = None,
                wall_s: float | None = None) -> Ended:
    """Run `argv` in the workspace until it ends or its time is used up; then nothing that it started is left.

    log: file in the trial's folder that keeps its output (the first 16 MiB; the rest is read and dropped, so that a
    program that prints for ever neither blocks nor fills the disk). on_line: called with each line of standard
    output; standard error goes to the log alone then.
    """
    spec = task.workspace.spec(environment={**task.environment, **(environment or {})}, read_only=read_only,
                               devices=task.devices, network=network, limits=task.limits)
    started, stop = time.monotonic(), stop or Stop()
    deadline = started + (wall_s if wall_s is not None else task.budget.wall_s)
    separate = subprocess.PIPE if on_line else subprocess.STDOUT
    with open(task.trial / log, "ab") as stream, launch(task.engine, spec, argv, stderr=separate) as process:
        keep = _Keeper(stream)
        readers = _readers(process, keep, on_line)
        exit_code = _wait(process, deadline, stop)
        process.kill()
        for reader in readers:
            reader.join()
    return Ended(exit_code, time.monotonic() - started, process.exceeded, process.enforcement, stop.reason)


def _wait(process: Process, deadline: float, stop: Stop) -> int | None:
    while (left := deadline - time.monotonic()) > 0:
        code = process.wait(min(left, 0.05))
        if code is not None:
            return code
        if stop.reason:
            return None
    return process.poll()


def _readers(process: Process, keep: _Keeper, on_line: Callable[[bytes], None] | None) -> list[threading.Thread]:
    assert process.stdout is not None
    jobs: list[tuple[IO[bytes], Callable[[bytes], None] | None]] = [(process.stdout, on_line)]
    if process.stderr is not None:
        jobs.append((process.stderr, None))
    threads = [threading.Thread(target=_pump, args=(stream, keep, sink), name="agent-output", daemon=True)
               for stream, sink in jobs]
    for thread in threads:
        thread.start()
    return threads


class _Keeper:
    """Writes to the log up to its limit."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._left, self._lock = stream, LOG_BYTES, threading.Lock()

    def __call__(self, data: bytes) -> None:
        with self._lock:
            if self._left > 0:
                self._stream.write(data[:self._left])
                self._left -= len(data)
                if self._left <= 0:
                    self._stream.write(b"\n[the rest of the output was not kept]\n")
                self._stream.flush()


def _pump(stream: IO[bytes], keep: _Keeper, on_line: Callable[[bytes], None] | None) -> None:
    rest = b""
    while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]
        keep(chunk)
        if on_line is None:
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            on_line(line)
        if len(rest) > LINE_BYTES:
            # No program of this world writes such a line; as raw text it harms nobody.
            on_line(rest)
            rest = b""
    if on_line is not None and rest:
        on_line(rest)


def status_of(task: AgentTask, ended: Ended, version: str = "", usage: Usage | None = None) -> AgentStatus:
    """The status that a program's end alone gives; adapters that understand its output refine it."""
    base = AgentStatus(
        status="completed", version=version, exit_code=ended.exit_code, seconds=ended.seconds, usage=usage or Usage(),
        sandbox="; ".join((task.engine.describe(), *ended.enforcement)))
    if ended.stopped:
        return base.model_copy(update={"status": "limit", "reason": ended.stopped})
    if ended.exceeded:
        return base.model_copy(update={"status": "limit", "reason": f"the limit of {ended.exceeded} was exceeded"})
    if ended.exit_code is None:
        reason = f"{task.budget.wall_s:g} s of wall time are used up"
        return base.model_copy(update={"status": "timeout", "reason": reason})
    if not ended.started:
        return base.model_copy(update={"status": "not_started", "reason": tail(task.trial / "agent.log")})
    if ended.exit_code != 0:
        return base.model_copy(update={"status": "crashed", "reason": f"exit status {ended.exit_code}"})
    return base


def tail(path: Path, characters: int = 500) -> str:
    """The last words of a log."""
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, path.stat().st_size - characters))
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def check_settings(settings: AgentSettings, *, options: Sequence[str] = (), model: bool = False,
                   command: bool = False) -> None:
    """Raise `InputError` for a setting that this agent does not have. model, command: whether it takes one."""
    for option in settings.options:
        if option not in options:
            hint = nearest(option, list(options)) if options else "it has none"
            raise InputError(f"agent {settings.agent}: options.{option}", "is not an option of this agent", hint)
    for name, value, allowed in (("model", settings.model, model), ("command", settings.command, command)):
        if value and not allowed:
            raise InputError(f"agent {settings.agent}: {name}", "means nothing to this agent", "leave it out")


