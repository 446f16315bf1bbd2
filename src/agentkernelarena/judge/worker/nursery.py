"""A nursery: a warm process that forks workers, so that each starts in milliseconds with nothing of its own loaded.

It imports the runtime once (torch and triton, or only ctypes), never the code of a submission, and forks one worker at
a time on request. In the sandbox it is PID 1 of its namespace: workers cannot signal it, and it is not dumpable, so
they cannot trace it either. After each worker it ends everything that the worker left and empties the writable
folders. CUDA and HIP contexts are made after the fork, by the worker.

Control messages: {"op": "fork"} with two descriptors (socket, log) -> {"pid"}; then, when that worker ends by itself,
{"exited", "signal"}; {"op": "reap"} -> {"clean": true} once everything is gone; end of stream ends the nursery.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from agentkernelarena.judge.wire import Channel, Closed, Json

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_PDEATHSIG = 4, 36, 1


def main(control_fd: int, preload: list[str], scratch: list[str]) -> None:
    """Serve fork requests on `control_fd` until it closes."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    read_end, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for module in preload:
        importlib.import_module(module)
    import agentkernelarena.judge.worker.loop  # noqa: F401  (warm before the fork)

    # Last, because some libraries make the process dumpable again when they start threads or change ids.
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    control = Channel(socket.socket(fileno=control_fd))
    control.send({"ready": True})
    worker: int | None = None
    while True:
        ready, _, _ = select.select([control.fileno(), read_end], [], [])
        if read_end in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(read_end, 4096)
            worker = _report_deaths(control, worker)
        if control.fileno() not in ready:
            continue
        try:
            request = control.receive()
        except Closed:
            _end_everything()
            return
        if request["op"] == "fork":
            sock_fd, log_fd = control.take_fds()
            worker = os.fork()
            if worker == 0:
                _become_worker(sock_fd, log_fd, control)
            os.close(sock_fd)
            os.close(log_fd)
            control.send({"pid": worker})
        else:
            worker = None
            _end_everything()
            _empty(scratch)
            control.send({"clean": True})


def _become_worker(sock_fd: int, log_fd: int, control: Channel) -> None:
    from agentkernelarena.judge.worker import loop

    code = 1
    try:
        control.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        os.dup2(log_fd, 1)
        os.dup2(log_fd, 2)
        with open(os.devnull) as null:
            os.dup2(null.fileno(), 0)
        loop.serve(Channel(socket.socket(fileno=sock_fd)))
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _report_deaths(control: Channel, worker: int | None) -> int | None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return worker
        if pid == 0:
            return worker
        if pid == worker:
            died: dict[str, Json] = {"exited": os.waitstatus_to_exitcode(status)}
            with contextlib.suppress(Closed):
                control.send(died)
            worker = None


def _descendants() -> list[int]:
    """Every process below this one. In a PID namespace of our own that is every other process."""
    me, parents = os.getpid(), {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{entry}/stat").read_text()
                parents[int(entry)] = int(stat.rpartition(")")[2].split()[1])
    if me == 1:
        return [p for p in parents if p != 1]
    below: set[int] = set()
    grown = True
    while grown:
        grown = False
        for pid, parent in parents.items():
            if pid not in below and (parent == me or parent in below):
                below.add(pid)
                grown = True
    return sorted(below)


def _end_everything() -> None:
    """Kill and reap every descendant, those included that appear while we do it."""
    for _ in range(200):
        if os.getpid() == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not _descendants():
            return
        time.sleep(0.005)


def _empty(folders: list[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


if __name__ == "__main__":
    main(int(sys.argv[1]), [m for m in sys.argv[2].split(",") if m], [s for s in sys.argv[3].split(":") if s])
