"""Runs a program without namespaces and ends everything that it started: the inner half of the `none` engine.

Run as a script, by path, with ``-I -S``; argv is the program and its arguments. It adopts orphans (as a subreaper),
so that whatever the program leaves behind is still a descendant of this process when the program, or the caller by
SIGTERM, ends it. Exit status: the program's, 128 + n when signal n ended it, 143 after SIGTERM.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def descendants(root: int) -> list[int]:
    """Process ids of all descendants of `root`."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    stack = [root]
    while stack:
        below = children.get(stack.pop(), [])
        found += below
        stack += below
    return found


def signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def end_all() -> None:
    """Stop every descendant before killing any, so that none can fork on meanwhile; then reap them."""
    while True:
        stopped: set[int] = set()
        while pids := set(descendants(os.getpid())) - stopped:
            signal_all(pids, signal.SIGSTOP)
            stopped |= pids
        signal_all(stopped, signal.SIGKILL)
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            return


def main() -> None:
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)

    def terminated(_number: int, _frame: object) -> None:
        end_all()
        os._exit(143)

    signal.signal(signal.SIGTERM, terminated)
    argv = sys.argv[1:]
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            sys.stderr.write(f"sandbox: {argv[0]}: {error.strerror}\n")
            sys.stderr.flush()
        os._exit(127)
    ended = raw = 0
    while ended != pid:
        ended, raw = os.wait()
    code = os.waitstatus_to_exitcode(raw)
    end_all()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
