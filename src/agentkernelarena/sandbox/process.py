"""Starting a confined program and ending it with everything that it started."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from agentkernelarena.errors import InfrastructureError
from agentkernelarena.sandbox import limit
from agentkernelarena.sandbox.engine import Engine
from agentkernelarena.sandbox.spec import HOME, SandboxSpec

MARKER = "AKA_SANDBOX"
_INFO_WAIT_S = 10.0
_END_WAIT_S = 10.0

Stream = int | IO[bytes] | None


class Process:
    """A started program.

    stdin, stdout, stderr: the parent's ends where pipes were asked for. exceeded: the limit that ended it (memory,
    processes or disk), or "". enforcement: what holds its limits.
    """

    def __init__(self, outer: subprocess.Popen[bytes], init_fd: int | None, group: limit.Group, spec: SandboxSpec,
                 marker: str, scratch: Path | None) -> None:
        self._outer, self._init_fd, self._group, self._marker, self._scratch = outer, init_fd, group, marker, scratch
        self._lock = threading.Lock()
        self._gone = False
        self.exceeded = ""
        self.enforcement = limit.enforcement(spec.limits, group)
        self.stdin, self.stdout, self.stderr = outer.stdin, outer.stdout, outer.stderr
        watch = limit.watch_for(spec, group, outer.pid, self._stop)
        if watch is not None:
            limit.WATCHDOG.add(watch)

    @property
    def pid(self) -> int:
        """Host process id of the outermost process."""
        return self._outer.pid

    @property
    def returncode(self) -> int | None:
        """Exit status once it has ended: 128 + n (or -n, when it was killed from outside) for signal n."""
        return self._outer.returncode

    def poll(self) -> int | None:
        """The exit status, or None while it runs. When it has ended, all that it started has ended too."""
        if self._outer.poll() is not None:
            self._finish()
        return self._outer.returncode

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Wait for its end; None when it still runs after `timeout_s`."""
        if self._outer.poll() is None:
            # Popen.wait with a timeout sleeps between looks, up to 50 ms; a pidfd wakes at once.
            with contextlib.suppress(ProcessLookupError):
                pidfd = os.pidfd_open(self._outer.pid)
                try:
                    if not _ended_within(pidfd, timeout_s):
                        return None
                finally:
                    os.close(pidfd)
            self._outer.wait()
        self._finish()
        return self._outer.returncode

    def kill(self) -> None:
        """End it and everything that it started; returns when all is gone. Harmless when it has ended."""
        with self._lock:
            if self._gone:
                return
            if self._init_fd is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
                _await_end(self._init_fd)
            elif self._outer.poll() is None:
                self._outer.terminate()
        if self.wait(2.0) is None:
            self._outer.kill()
            self.wait()

    def close(self) -> None:
        """`kill`, and close the parent's ends of its pipes."""
        self.kill()
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stop(self, reason: str) -> None:
        self.exceeded = reason
        self.kill()

    def _finish(self) -> None:
        """After the outer process: make sure that nothing is left, then release groups and scratch folders."""
        with self._lock:
            if self._gone:
                return
            self._gone = True
            limit.WATCHDOG.remove(self._outer.pid)
            if self._init_fd is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
                _await_end(self._init_fd)
                os.close(self._init_fd)
                self._init_fd = None
            else:
                _end_strays(self._marker, self._group)
            if not self.exceeded and self._group.memory_events():
                self.exceeded = "memory"
            self._group.remove()
            if self._scratch is not None:
                shutil.rmtree(self._scratch, ignore_errors=True)


def _await_end(pidfd: int) -> None:
    """Wait until the process has ended. PID 1 of a namespace ends last: then all inside have."""
    if not _ended_within(pidfd, _END_WAIT_S):
        raise InfrastructureError("a sandboxed program did not end within 10 s of being killed")


def _end_strays(marker: str, group: limit.Group) -> None:
    """Without namespaces: kill whatever still carries this launch's marker in its environment or is in its group."""
    sign = f"{MARKER}={marker}".encode()
    for _ in range(100):
        found = group.pids()
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                with contextlib.suppress(OSError):
                    if sign in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                        found.add(int(name))
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _ended_within(pidfd: int, timeout_s: float | None) -> bool:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(None if timeout_s is None else max(0.0, timeout_s) * 1000))


class _Spawner:
    """Starts processes from one thread that never ends: a child's parent-death signal follows the thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: queue.Queue[tuple[Callable[[], subprocess.Popen[bytes]], queue.Queue[object]]] = queue.Queue()
        self._owner = 0

    def start(self, job: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._owner != os.getpid():
                self._owner, self._jobs = os.getpid(), queue.Queue()
                threading.Thread(target=self._run, args=(self._jobs,), name="sandbox-spawner", daemon=True).start()
        answer: queue.Queue[object] = queue.Queue()
        self._jobs.put((job, answer))
        result = answer.get()
        if isinstance(result, BaseException):
            raise result
        assert isinstance(result, subprocess.Popen)
        return result

    @staticmethod
    def _run(jobs: queue.Queue[tuple[Callable[[], subprocess.Popen[bytes]], queue.Queue[object]]]) -> None:
        while True:
            job, answer = jobs.get()
            try:
                answer.put(job())
            except BaseException as error:
                answer.put(error)


_SPAWNER = _Spawner()


def launch(engine: Engine, spec: SandboxSpec, argv: Sequence[str], *, stdin: Stream = subprocess.DEVNULL,
           stdout: Stream = subprocess.PIPE, stderr: Stream = subprocess.PIPE) -> Process:
    """Start `argv` confined by `engine` as `spec` says.

    stdin, stdout, stderr: as for `subprocess.Popen`; pipes are the caller's to drain and close. A program that does
    not exist ends with status 127 and a line on stderr.

    Raises:
        InfrastructureError: the engine itself could not be started.
    """
    group = limit.make_group(spec.limits)
    marker, scratch = uuid.uuid4().hex, None if engine.has_namespace else Path(tempfile.mkdtemp(prefix="aka-scratch-"))
    info_read, info_write = os.pipe()
    try:
        command = [*limit.prefix(spec.limits, group), *engine.wrap(spec, argv, info_write)]
        environment = _environment(engine, spec, marker, scratch)
        cwd = "/" if engine.has_namespace else str(spec.cwd or spec.home or scratch)
        outer = _SPAWNER.start(lambda: subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=stderr, env=environment, cwd=cwd, start_new_session=True,
            pass_fds=(*spec.pass_fds, info_write) if engine.has_namespace else spec.pass_fds))
    except OSError as error:
        os.close(info_read)
        group.remove()
        raise InfrastructureError(f"{engine.name}: {error}") from error
    finally:
        os.close(info_write)
    init_fd = _init_process(info_read, outer) if engine.has_namespace else None
    if not engine.has_namespace:
        os.close(info_read)
    return Process(outer, init_fd, group, spec, marker, scratch)


def _environment(engine: Engine, spec: SandboxSpec, marker: str, scratch: Path | None) -> Mapping[str, str]:
    base = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "agent", "TMPDIR": "/tmp",
            "HOME": str(HOME), **spec.environment}
    if not engine.has_namespace:
        base |= {MARKER: marker, "TMPDIR": str(scratch), "HOME": str(spec.home or scratch)}
    return base


def _init_process(info: int, outer: subprocess.Popen[bytes]) -> int | None:
    """A pidfd of the namespace's PID 1, from the engine's report; None when the engine ended without one."""
    with os.fdopen(info, "rb") as stream:
        if not select.select([stream], [], [], _INFO_WAIT_S)[0]:
            outer.kill()
            outer.wait()
            raise InfrastructureError("the sandbox did not start within 10 s")
        text = stream.read()
    if not text:
        return None
    pid = int(json.loads(text)["child-pid"])
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if _parent_of(pid) != outer.pid:
        # It ended before we looked, and its number may belong to somebody else by now.
        os.close(pidfd)
        return None
    return pidfd


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
