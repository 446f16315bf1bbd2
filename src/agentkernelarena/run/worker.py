"""The process that carries out trials for the local executor: one JSON line in is one job, JSON lines out are reports.

Standard output and error go to a log of the executor's; reports leave by the descriptor that the command line names.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path

from agentkernelarena.commitment import RunSeed
from agentkernelarena.run.executor import Job
from agentkernelarena.run.process import adopt_orphans, end_descendants


def main(reply_fd: int) -> None:
    """Serve jobs until standard input closes."""
    os.set_inheritable(reply_fd, False)
    adopt_orphans()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    # The reader runs beside the trial: a parent that is gone has to be noticed in the middle of one.
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    seed = RunSeed.load(lines.get())
    with os.fdopen(reply_fd, "w", encoding="utf-8", buffering=1) as replies:
        from agentkernelarena.run.trial import perform

        while True:
            message = json.loads(lines.get())
            job = Job(Path(message["folder"]), message["trial"], message["attempt"])
            fault = perform(job, seed, lambda stage: _reply(replies.fileno(), {"stage": stage}))
            _reply(replies.fileno(), {"fault": fault})


def _reply(descriptor: int, message: dict[str, str]) -> None:
    try:
        os.write(descriptor, json.dumps(message).encode() + b"\n")
    except BrokenPipeError:
        _end()


def _read(lines: queue.SimpleQueue[str]) -> None:
    # The descriptor itself, not sys.stdin: nothing else in this process may read from it or buffer its lines.
    with os.fdopen(os.dup(0), encoding="utf-8") as stream:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        for line in stream:
            lines.put(line)
    _end()


def _end() -> None:
    end_descendants()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
