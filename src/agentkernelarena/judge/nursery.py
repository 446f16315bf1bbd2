"""The judge's handle on its nurseries and on the worker that each of them has forked.

A nursery is started in the sandbox once per side and language and lives as long as the judge's process; workers come
and go in milliseconds. See `agentkernelarena.judge.worker.nursery` for the other end.
"""

from __future__ import annotations

import secrets
import select
import shutil
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from agentkernelarena import sandbox
from agentkernelarena.errors import InfrastructureError
from agentkernelarena.judge.log import Log, readable
from agentkernelarena.judge.wire import Channel, Closed, DeadlinePassed, Json, Malformed, Message, WireError
from agentkernelarena.sandbox.spec import Bind, Limits, SandboxSpec, package_folder, python_binds

_START_S = 120.0
# Processor time that stopped processes may be seen to use altogether: what the account of it is unsharp by.
_STILL_US = 3000.0
_REAP_S = 20.0
# Host memory of one side's processes together. On a GPU a context with its libraries and pinned buffers needs much.
_MEMORY_MIB, _MEMORY_WITH_DEVICE_MIB = 4096, 65536
_PRELOAD = {"hip": (), "triton": ("torch", "triton", "triton.language"), "torch": ("torch",)}


class WorkerFailed(Exception):
    """A worker stopped obeying. `kind` is crashed, timeout, load or protocol; `text` says what was seen."""

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text
        super().__init__(f"{kind}: {text}")


class Nursery:
    """One warm, confined process that forks workers for one side and one language."""

    def __init__(self, language: str, engine: str, environment: dict[str, str], devices: Sequence[Path] = ()) -> None:
        self.language = language
        self.engine = sandbox.choose(engine)
        self.inbox = Path(tempfile.mkdtemp(prefix="aka-inbox-"))
        self.inbox.chmod(0o755)
        mine, theirs = socket.socketpair()
        self._log = Log()
        scratch = ["/tmp", "/home/agent", "/dev/shm"] if self.engine.has_namespace else []
        argv = [
            sys.executable,
            "-I",
            "-c",
            _BOOTSTRAP,
            str(package_folder().parent),
            str(theirs.fileno()),
            ",".join(_PRELOAD[language]),
            ":".join(scratch),
        ]
        spec = SandboxSpec(
            read_only=(*python_binds(package=True), Bind.of(self.inbox, "/inbox")),
            environment={**environment, "OMP_NUM_THREADS": environment.get("OMP_NUM_THREADS", "2")},
            devices=tuple(devices),
            pass_fds=(theirs.fileno(),),
            as_init=True,
            limits=Limits(
                memory_mib=_MEMORY_WITH_DEVICE_MIB if devices else _MEMORY_MIB,
                processes=512,
                file_mib=256,
                open_files=4096,
                scratch_mib=512,
            ),
        )
        self._spec = spec
        self._process = sandbox.launch(self.engine, spec, argv, stdout=self._log.write_fd, stderr=self._log.write_fd)
        theirs.close()
        self._log.close_write()
        self._control = Channel(mine)
        self._ready = False
        self.worker: WorkerHandle | None = None

    def _wait_ready(self) -> None:
        if self._ready:
            return
        try:
            self._control.receive(_START_S)
        except WireError as error:
            self.close()
            raise InfrastructureError(
                f"a worker could not be prepared ({type(error).__name__}): {self._log.text()[-2000:]}"
            ) from error
        self._ready = True

    def fork(self) -> WorkerHandle:
        """Fork a fresh worker; the previous one must have been ended."""
        self._wait_ready()
        assert self.worker is None
        mine, theirs = socket.socketpair()
        log = Log()
        try:
            self._control.send({"op": "fork"}, fds=[theirs.fileno(), log.write_fd])
            theirs.close()
            log.close_write()
            self._control.receive(_START_S)
        except WireError as error:
            self.close()
            raise InfrastructureError(f"a worker could not be started ({type(error).__name__})") from error
        self.worker = WorkerHandle(self, Channel(mine, accept_fds=False), log, self._control)
        return self.worker

    def reap(self) -> bool:
        """End the worker and everything that it started; False when the nursery itself did not survive it."""
        self.worker = None
        try:
            self._control.send({"op": "reap"})
            while "clean" not in self._control.receive(_REAP_S):
                pass
        except WireError:
            self.close()
            return False
        self._empty_inbox()
        return True

    def _empty_inbox(self) -> None:
        for entry in self.inbox.iterdir():
            shutil.rmtree(entry, ignore_errors=True)

    def deliver(self, artefact: Path, main: str) -> str:
        """Copy an artefact (a file, or the folder that holds `main`) to where the worker can read it."""
        place = self.inbox / secrets.token_hex(8)
        if artefact.is_dir():
            shutil.copytree(artefact, place)
        else:
            place.mkdir()
            shutil.copy2(artefact, place / main)
        return str(self.engine.inside(self._spec, place / main))

    @property
    def exceeded(self) -> str:
        """The limit for which the sandbox ended it, or ''."""
        return self._process.exceeded

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """End the nursery with all that is in it."""
        self._control.close()
        self._process.close()
        shutil.rmtree(self.inbox, ignore_errors=True)


class WorkerHandle:
    """The judge's end of one worker."""

    def __init__(self, nursery: Nursery, channel: Channel, log: Log, control: Channel) -> None:
        self.nursery, self.log = nursery, log
        self._channel, self._control = channel, control
        self._ended = False
        self._nonce = ""
        self._died: Message | None = None
        self._paused_us: float | None = None
        self._ran_paused_us = 0.0

    def ask(self, request: Message, timeout_s: float, fds: Sequence[int] = ()) -> Message:
        """Send a request and wait for its reply.

        Raises:
            WorkerFailed: the worker crashed, was too slow, answered nonsense, or reported an exception.
        """
        self._send(request, fds)
        return self.answer(timeout_s)

    def ask_late(self, request: Message, patience_s: float) -> Message | None:
        """Like `ask`, but None when the reply takes longer than `patience_s`; `answer` then waits on for it."""
        self._send(request, ())
        if not select.select([self._channel.fileno(), self._control.fileno()], [], [], patience_s)[0]:
            return None
        return self.answer(patience_s)

    def _send(self, request: Message, fds: Sequence[int]) -> None:
        self._nonce = secrets.token_hex(16)
        try:
            self._channel.send({**request, "nonce": self._nonce}, fds)
        except Closed:
            raise WorkerFailed("crashed", self._cause()) from None

    def answer(self, timeout_s: float) -> Message:
        """Wait for the reply to the last request; raises as `ask` does."""
        try:
            reply = self._channel.receive(timeout_s, also=self._control.fileno())
        except DeadlinePassed:
            raise WorkerFailed("timeout", f"no answer within {timeout_s:g} s") from None
        except Malformed as error:
            raise WorkerFailed("protocol", f"the worker answered with {error}") from None
        except Closed:
            raise WorkerFailed("crashed", self._cause()) from None
        if reply.get("nonce") != self._nonce:
            raise WorkerFailed("protocol", "the worker answered a question that was not asked")
        if "error" in reply:
            kind = str(reply.get("kind", "call"))
            text = readable(str(reply.get("trace") or reply["error"]))
            raise WorkerFailed(kind if kind in ("load", "protocol") else "call", text)
        return reply

    def resume(self) -> float:
        """Let the worker and all that it started run; returns the processor time that they have used, in microseconds.

        Raises:
            WorkerFailed: tampered, when some of it ran although it was paused.
        """
        spent_us = self._account("resume")
        if self._paused_us is not None:
            self._ran_paused_us += spent_us - self._paused_us
        if self._ran_paused_us > _STILL_US:
            ran_us = self._ran_paused_us
            raise WorkerFailed("tampered", f"it ran for {ran_us:.0f} us of processor time while it was made to wait")
        self._paused_us = None
        return spent_us

    def pause(self) -> float:
        """Stop the worker and all that it started until `resume`; returns their processor time so far."""
        spent_us = self._paused_us = self._account("pause")
        return spent_us

    def _account(self, op: str) -> float:
        try:
            self._control.send({"op": op})
            while "spent_us" not in (message := self._control.receive(_REAP_S)):
                self._died = message
        except WireError:
            raise WorkerFailed("crashed", self._cause()) from None
        return float(cast(float, message["spent_us"]))

    def _cause(self) -> str:
        """How the worker ended, as its nursery saw it."""
        try:
            died = self._died or self._control.receive(2.0)
        except WireError:
            limit = f": over its limit of {self.nursery.exceeded}" if self.nursery.exceeded else ""
            return f"the worker and its nursery ended{limit}"
        code = cast(int, died.get("exited", 0))
        if code < 0:
            import signal

            try:
                return f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return f"killed by signal {-code}"
        return f"exited with status {code} before it had answered"

    def times(self, reply: Message, name: str) -> list[float]:
        """One finite non-negative number from a reply, or `WorkerFailed`."""
        values = reply.get(name)
        if not isinstance(values, list) or len(values) != 1 or not _is_time(values[0]):
            raise WorkerFailed("protocol", f"the worker reported {name} = {readable(repr(values)[:80])}")
        return [float(cast(float, values[0]))]

    def end(self) -> bool:
        """End the worker and all that it started; False when it took its nursery down."""
        if self._ended:
            return True
        self._ended = True
        self._channel.close()
        return self.nursery.reap()


def _is_time(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


_BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); from agentkernelarena.judge.worker.nursery import main; "
    "main(int(sys.argv[2]), [m for m in sys.argv[3].split(',') if m], [s for s in sys.argv[4].split(':') if s])"
)


class Nurseries:
    """All nurseries of a judge's process, by side and language; made on first use."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, str, str, tuple[tuple[str, str], ...]], Nursery] = {}

    def get(
        self, side: str, language: str, engine: str, environment: dict[str, str], devices: Sequence[Path] = ()
    ) -> Nursery:
        """A living nursery for `side` (``baseline`` or ``submission``); the two sides never share one."""
        key = (side, language, engine, tuple(sorted(environment.items())))
        nursery = self._all.get(key)
        if nursery is None or not nursery.alive:
            nursery = self._all[key] = Nursery(language, engine, environment, devices)
        return nursery

    def close(self) -> None:
        for nursery in self._all.values():
            nursery.close()
        self._all.clear()
