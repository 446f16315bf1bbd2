"""The process that carries out trials for the local executor: one JSON line in is one job, JSON lines out are reports.

Standard output and error go to a log of the executor's; reports leave by the descriptor that the command line names.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import NoReturn

from agentkernelarena.commitment import RunSeed
from agentkernelarena.run.executor import Job
from agentkernelarena.run.process import ENDING, adopt_orphans, end_descendants


def main(reply_fd: int) -> None:
    """Serve jobs until standard input closes."""
    os.set_inheritable(reply_fd, False)
    adopt_orphans()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    busy = threading.Event()
    # The reader runs beside the trial: a parent that is gone has to be noticed in the middle of one.
    threading.Thread(target=_read, args=(lines, busy), daemon=True).start()
    seed = lines.get()
    if seed:
        _serve(reply_fd, RunSeed.load(seed), lines, busy)
    _end()


def _serve(reply_fd: int, seed: RunSeed, lines: queue.SimpleQueue[str], busy: threading.Event) -> None:
    from agentkernelarena.run.trial import perform

    while line := lines.get():
        message = json.loads(line)
        job = Job(Path(message["folder"]), message["trial"], message["attempt"])
        busy.set()
        fault = perform(job, seed, lambda stage: _reply(reply_fd, {"stage": stage}))
        busy.clear()
        _reply(reply_fd, {"fault": fault})


def _reply(descriptor: int, message: dict[str, str]) -> None:
    try:
        os.write(descriptor, json.dumps(message).encode() + b"\n")
    except BrokenPipeError:
        _end()


def _read(lines: queue.SimpleQueue[str], busy: threading.Event) -> None:
    # The descriptor itself, not sys.stdin: nothing else in this process may read from it or buffer its lines.
    with os.fdopen(os.dup(0), encoding="utf-8") as stream:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        for line in stream:
            lines.put(line)
    if busy.is_set():
        _end()
    lines.put("")


def _end() -> NoReturn:
    """End all that this process started, tidy up after it, and end."""
    ENDING.set()
    end_descendants()
    with contextlib.suppress(Exception):  # the judge may have been in the middle of anything
        if "agentkernelarena.judge.trial" in sys.modules:
            sys.modules["agentkernelarena.judge.trial"].close_nurseries()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
