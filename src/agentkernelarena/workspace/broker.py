"""The judge's counter: answers ./aka from inside a workspace, on a unix socket, seen configurations only.

It freezes what the workspace holds at that moment, waits for its turn on the device, asks the judge, and writes down
that it was asked. Whoever connects is not trusted: sizes, times and numbers are bounded, and nothing that a client
sends reaches a result.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentkernelarena.errors import ArenaError
from agentkernelarena.record import ToolCall
from agentkernelarena.result import Outcome
from agentkernelarena.submission import Submission, collect
from agentkernelarena.workspace.turn import Cancelled, DeviceQueue
from agentkernelarena.workspace.workspace import SOCKET, Workspace

MAXIMUM_REQUEST_BYTES = 8192
MAXIMUM_CONNECTIONS = 8
MAXIMUM_CALLS = 10_000
REQUEST_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 10.0
TEXT_LIMIT = 64 * 1024
DOCUMENT_LIMIT = 1024 * 1024

Command = Literal["check", "time", "profile", "info"]


class _Message(BaseModel):
    """What a client may send."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    command: Command
    configurations: tuple[str, ...] = Field(default=(), max_length=64, strict=False)


@dataclass(frozen=True)
class ToolRequest:
    """One call. configurations: names of seen ones that it is restricted to, all when empty.

    cancelled: set when nobody waits for the answer any more; a judge may give up then.
    """

    command: Command
    configurations: tuple[str, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class ToolAnswer:
    """What the judge says. outcome: one word for the log. document: one JSON document with the same content."""

    passed: bool
    outcome: str
    text: str
    document: str


class ToolJudge(Protocol):
    """What the run puts behind the counter."""

    def __call__(self, request: ToolRequest, submission: Submission) -> ToolAnswer:
        """Judge `submission` on seen configurations; called by one thread at a time, with the device's turn held.

        Raises:
            ArenaError: the harness failed; the client is told, the call is logged, and the next one is served.
        """
        ...


class Broker:
    """The counter of one workspace. Used as a context; `calls` is the log."""

    def __init__(self, workspace: Workspace, judge: ToolJudge, queue: DeviceQueue | None = None,
                 info: Callable[[], ToolAnswer] | None = None) -> None:
        self._workspace, self._judge, self._queue = workspace, judge, queue
        self._info = info
        self._started = time.monotonic()
        self._calls: list[ToolCall] = []
        self._log, self._turn = threading.Lock(), threading.Lock()
        self._stopping = threading.Event()
        self._slots = threading.BoundedSemaphore(MAXIMUM_CONNECTIONS)
        self._threads: list[threading.Thread] = []
        self._connections: set[socket.socket] = set()
        self._listener: socket.socket | None = None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call so far, in the order in which they ended."""
        with self._log:
            return tuple(self._calls)

    def __enter__(self) -> Broker:
        self._listener = socket.socket(socket.AF_UNIX)
        folder = os.open(self._workspace.run, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Bound through the folder's descriptor: a socket's path may have 107 bytes, a run's folder more.
            self._listener.bind(f"/proc/self/fd/{folder}/{SOCKET}")
        finally:
            os.close(folder)
        self._listener.listen(16)
        self._started = time.monotonic()
        thread = threading.Thread(target=self._accept, name="broker", daemon=True)
        thread.start()
        self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop answering. A call in progress is told that it is cancelled, and waited for."""
        self._stopping.set()
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        with self._log:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
        for thread in self._threads:
            thread.join()
        self._workspace.socket.unlink(missing_ok=True)

    def _accept(self) -> None:
        assert self._listener is not None
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._threads = [t for t in self._threads if t.is_alive()]
            if not self._slots.acquire(blocking=False):
                connection.close()
                continue
            thread = threading.Thread(target=self._serve, args=(connection,), name="broker-client", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with self._log:
            self._connections.add(connection)
        try:
            # A client that leaves in the middle, or sends nothing, concerns nobody.
            with connection, contextlib.suppress(OSError):
                self._converse(connection)
        finally:
            with self._log:
                self._connections.discard(connection)
            self._slots.release()

    def _converse(self, connection: socket.socket) -> None:
        line = _read_line(connection)
        if line is None:
            return
        started = time.monotonic()
        request = _parse(line, self._workspace.seen)
        if isinstance(request, str):
            command, answer, status = "invalid", _problem("wrong_use", request), 2
        else:
            command = " ".join((request.command, *request.configurations))
            answer = self._answer(request, connection)
            status = 0 if answer.passed else 3 if answer.outcome in ("unavailable", "cancelled") else 1
        self._note(command, started, answer)
        if len(answer.document) > DOCUMENT_LIMIT:
            answer = replace(answer, document=_problem(answer.outcome, "too long for one document").document)
        message = {"status": str(status), "text": answer.text[:TEXT_LIMIT], "document": answer.document}
        connection.settimeout(ANSWER_TIMEOUT_S)
        connection.sendall(json.dumps(message).encode() + b"\n")

    def _note(self, command: str, started: float, answer: ToolAnswer) -> None:
        call = ToolCall(at_s=started - self._started, command=command[:200], seconds=time.monotonic() - started,
                        outcome=answer.outcome)
        with self._log:
            if len(self._calls) < MAXIMUM_CALLS:
                self._calls.append(call)

    def _answer(self, request: ToolRequest, connection: socket.socket) -> ToolAnswer:
        if request.command == "info":
            return self._info() if self._info else _problem("unavailable", "there is nothing to tell")
        threading.Thread(target=self._watch, args=(request, connection), name="broker-watch", daemon=True).start()
        try:
            return self._ask(request)
        except Cancelled:
            return _problem("cancelled", "the call was given up")
        except ArenaError as error:
            return _problem("unavailable", f"the judge failed, not your kernel: {error}")
        finally:
            request.cancelled.set()

    def _ask(self, request: ToolRequest) -> ToolAnswer:
        # Frozen when asked, not when its turn comes: the agent may go on editing meanwhile.
        submission = collect(self._workspace.folder, self._workspace.category)
        if isinstance(submission, Outcome):
            return _problem(str(submission.status), submission.reason)
        while not self._turn.acquire(timeout=0.05):
            if request.cancelled.is_set():
                raise Cancelled
        try:
            with self._queue.turn(request.cancelled.is_set) if self._queue else contextlib.nullcontext():
                if request.cancelled.is_set():
                    raise Cancelled
                answer = self._judge(request, submission)
        finally:
            self._turn.release()
        if submission.refused:
            note = "\nleft out: " + "\nleft out: ".join(submission.refused)
            return replace(answer, text=answer.text + note)
        return answer

    def _watch(self, request: ToolRequest, connection: socket.socket) -> None:
        """Cancel the request when its client hangs up or the broker stops."""
        poller = select.poll()
        poller.register(connection, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
        while not request.cancelled.is_set():
            if self._stopping.is_set() or poller.poll(50):
                request.cancelled.set()


def _read_line(connection: socket.socket) -> bytes | None:
    """One request line; None when it does not come whole within the time and size allowed."""
    deadline, data = time.monotonic() + REQUEST_TIMEOUT_S, b""
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or len(data) > MAXIMUM_REQUEST_BYTES:
            return None
        connection.settimeout(left)
        chunk = connection.recv(MAXIMUM_REQUEST_BYTES)
        if not chunk:
            return None
        data += chunk
    return data


def _parse(line: bytes, seen: tuple[str, ...]) -> ToolRequest | str:
    """The request, or what is wrong with it."""
    try:
        message = _Message.model_validate_json(line)
    except ValidationError as error:
        return f"not a request: {error.errors()[0]['msg']}"
    for name in message.configurations:
        if name not in seen:
            return f"no configuration {name[:80]!r}; known: " + ", ".join(repr(s) for s in seen)
    return ToolRequest(message.command, message.configurations)


def _problem(outcome: str, text: str) -> ToolAnswer:
    document = json.dumps({"passed": False, "outcome": outcome, "reason": text})
    return ToolAnswer(False, outcome, f"{outcome}: {text}", document)
