"""A nursery: a warm process that forks workers, so that each starts in milliseconds with nothing of its own loaded.

It imports the runtime once (torch and triton, or only ctypes), never the code of a submission, and forks one worker at
a time on request. In the sandbox it is PID 1 of its namespace: workers cannot signal it, and it is not dumpable, so
they cannot trace it either. After each worker it ends everything that the worker left and empties the writable
folders; when that does not succeed to the last file, or when a worker has changed what the next would inherit (limits,
priority, processors), it ends itself, and with it the namespace. CUDA and HIP contexts
are made after the fork, by the worker.

Control messages: {"op": "fork"} with two descriptors (socket, log) -> {"pid"}; then, when that worker ends by itself,
{"exited", "signal"}; {"op": "pause"} and {"op": "resume"} -> {"spent_us": processor time of all workers so far};
{"op": "reap"} -> {"clean": true} once everything is gone; end of stream ends the nursery.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import resource
import select
import signal
import socket
import sys
import time
from pathlib import Path

from agentkernelarena.judge.wire import Channel, Closed, Json

_STOP_S = 2.0
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_PDEATHSIG = 4, 36, 1


def main(control_fd: int, preload: list[str], scratch: list[str]) -> None:
    """Serve fork requests on `control_fd` until it closes. `scratch`: the writable folders, none without namespaces."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    read_end, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # The only other signal for which Python has a handler, so the only one that would reach PID 1 from a worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in preload:
        importlib.import_module(module)
    import agentkernelarena.judge.worker.loop  # noqa: F401  (warm before the fork)
    from agentkernelarena.judge.worker.confinement import confine

    confine()
    modes = {folder: os.stat(folder).st_mode & 0o7777 for folder in scratch}
    # Last, because some libraries make the process dumpable again when they start threads or change ids.
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    control = Channel(socket.socket(fileno=control_fd))
    control.send({"ready": True})
    _serve(control, read_end, modes)


def _serve(control: Channel, wakeup: int, modes: dict[str, int]) -> None:
    alone, inherited = bool(modes), _inherited()
    worker: int | None = None
    while True:
        ready, _, _ = select.select([control.fileno(), wakeup], [], [])
        if wakeup in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wakeup, 4096)
            worker = _report_deaths(control, worker)
        if control.fileno() not in ready:
            continue
        try:
            request = control.receive()
        except Closed:
            _end_everything(alone)
            return
        if request["op"] == "fork":
            sock_fd, log_fd = control.take_fds()
            worker = os.fork()
            if worker == 0:
                _become_worker(sock_fd, log_fd, control)
            os.close(sock_fd)
            os.close(log_fd)
            control.send({"pid": worker})
        elif request["op"] == "pause":
            _signal_all(signal.SIGSTOP, alone)
            control.send({"spent_us": _spent_when_still_us()})
        elif request["op"] == "resume":
            spent_us = _spent_us()
            _signal_all(signal.SIGCONT, alone)
            control.send({"spent_us": spent_us})
        else:
            worker = None
            if not (_end_everything(alone) and _empty(modes) and _inherited() == inherited):
                return
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


def _inherited() -> list[object]:
    """What a worker inherits from this process and another process of the same user may change in it."""
    kinds = [value for name, value in sorted(vars(resource).items()) if name.startswith("RLIMIT_")]
    limits: list[object] = [resource.getrlimit(kind) for kind in kinds]
    processors = sorted(os.sched_getaffinity(0))
    return [*limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), processors]


def _descendants() -> list[int]:
    """Every process below this one, which adopts the orphans among them."""
    me, parents = os.getpid(), {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{entry}/stat").read_text()
                parents[int(entry)] = int(stat.rpartition(")")[2].split()[1])
    below: set[int] = set()
    grown = True
    while grown:
        grown = False
        for pid, parent in parents.items():
            if pid not in below and (parent == me or parent in below):
                below.add(pid)
                grown = True
    return sorted(below)


def _signal_all(number: signal.Signals, alone: bool) -> None:
    """Signal every process below this one; alone in a namespace that is one call, which no fork can outrun."""
    if alone:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, number)
        return
    for pid in _descendants():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _spent_us() -> float:
    """Processor time that all workers and what they started have used so far, by the kernel's account."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = (ended.ru_utime + ended.ru_stime) * 1e6
    for pid in _descendants():
        with contextlib.suppress(OSError):
            total += time.clock_gettime_ns((~pid << 3) | 2) / 1e3  # the process clock of another process
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[13]) + int(fields[14])) * 1e6 / os.sysconf("SC_CLK_TCK")
    return total


def _spent_when_still_us() -> float:
    """`_spent_us` once every thread has heard the signal to stop, which on a busy machine takes its turn to run."""
    deadline = time.monotonic() + _STOP_S
    while not _still() and time.monotonic() < deadline:
        time.sleep(0.0002)
    return _spent_us()


def _still() -> bool:
    for pid in _descendants():
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                stat = Path(f"/proc/{pid}/task/{thread}/stat").read_text()
                if stat.rpartition(")")[2].split()[0] not in "TtZX":
                    return False
    return True


def _end_everything(alone: bool) -> bool:
    """Kill and reap every descendant, those included that appear while we do it; False when some remain."""
    for _ in range(400):
        _signal_all(signal.SIGKILL, alone)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not _descendants():
            return True
        time.sleep(0.005)
    return False


def _empty(modes: dict[str, int]) -> bool:
    """Remove everything in the writable folders but what is mounted there; False when that did not succeed."""
    try:
        for folder, mode in modes.items():
            os.chmod(folder, mode)
            _clear(folder)
    except (OSError, RecursionError):
        return False
    return True


def _clear(folder: str) -> bool:
    """Empty `folder`; True when nothing is left, False when it holds mounts, the interpreter's own folder perhaps."""
    device, emptied = os.stat(folder).st_dev, True
    with os.scandir(folder) as listing:
        entries = list(listing)
    for entry in entries:
        if entry.stat(follow_symlinks=False).st_dev != device:
            emptied = False
        elif entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o755)
            if _clear(entry.path):
                os.rmdir(entry.path)
            else:
                emptied = False
        else:
            os.unlink(entry.path)
    return emptied


if __name__ == "__main__":
    main(int(sys.argv[1]), [m for m in sys.argv[2].split(",") if m], [s for s in sys.argv[3].split(":") if s])
