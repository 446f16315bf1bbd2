"""Ending process trees: what a worker started does not outlive it, whatever became of the worker."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from pathlib import Path

MARK = "AKA_WORKER_MARK"
"""Environment variable that every process of a worker inherits: how strays are told from strangers."""

_PR_SET_CHILD_SUBREAPER = 36

ENDING = threading.Event()
"""Set before a worker kills what it started, because its parent is gone: from then on nothing may be recorded."""


def stop_if_ending() -> None:
    """Never return once the worker is ending: what the trial saw since then is our own killing, not an outcome."""
    if ENDING.is_set():
        threading.Event().wait()


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, so that `end_descendants` finds them."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants(patience_s: float = 5.0) -> None:
    """Kill all descendants of this process and wait until none is left or `patience_s` is over."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        living = _descendants(os.getpid())
        if not living:
            return
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def end_marked(mark: str) -> None:
    """Kill every process whose environment carries `mark`; for a worker that died without cleaning up."""
    entry = f"{MARK}={mark}".encode()
    for _ in range(3):
        found = [pid for pid in _pids() if entry in _environment(pid)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _pids() -> list[int]:
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and int(p.name) != os.getpid()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _descendants(root: int) -> list[int]:
    """Pids below `root` that are not zombies, parents first."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        try:
            # "pid (name) state ppid ...": the name may hold spaces and parentheses, so cut at the last one.
            state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(pid)
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found
