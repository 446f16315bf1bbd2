"""Trials in worker processes of this machine, at most so many at a time.

A worker carries out one trial after the other (its imports are paid once) and talks over two pipes. When its standard
input closes, whether the run ended, was interrupted or was killed, it ends all that it started and then itself. A
worker that dies in a trial costs that attempt only: its strays are ended and the next job gets a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from types import TracebackType
from typing import IO

from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import InputError
from agentkernelarena.run.executor import Begun, Done, Job, Report, Stage
from agentkernelarena.run.process import MARK, end_marked

_GRACE_S = 10.0
_TAIL_BYTES = 2000


class LocalExecutor:
    """See `agentkernelarena.run.executor.Executor`."""

    def preflight(self, workers: int) -> None:
        if workers < 1:
            raise InputError("workers", f"{workers} is too few", "give 1 or more")

    def start(self, workers: int, seed: RunSeed) -> LocalSession:
        return LocalSession(workers, seed)


class LocalSession:
    """See `agentkernelarena.run.executor.Session`."""

    def __init__(self, workers: int, seed: RunSeed) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
        self._threads_per_worker = max(1, (os.cpu_count() or 1) // workers)
        self._seed = seed
        self._lock = threading.Lock()
        self._living: set[Worker] = set()
        self._closing = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]

    def __enter__(self) -> LocalSession:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closing = True
            living = list(self._living)
        for _ in self._threads:
            self._jobs.put(None)
        for worker in living:
            worker.hang_up()
        for worker in living:
            worker.end(_GRACE_S)
        for thread in self._threads:
            thread.join(_GRACE_S)

    def submit(self, job: Job) -> None:
        self._jobs.put(job)

    def next(self) -> Report:
        # A bounded wait in a loop: a wait without end would keep Ctrl-C from being noticed.
        while True:
            with contextlib.suppress(queue.Empty):
                return self._reports.get(timeout=0.5)

    def _serve(self) -> None:
        worker: Worker | None = None
        while (job := self._jobs.get()) is not None:
            if worker is None:
                worker = self._start()
                if worker is None:
                    return
            self._reports.put(Begun(job))
            fault, alive = worker.perform(job, lambda stage, j=job: self._reports.put(Stage(j, stage)))  # type: ignore[misc]
            if not alive:
                with self._lock:
                    self._living.discard(worker)
                worker = None
            self._reports.put(Done(job, fault))

    def _start(self) -> Worker | None:
        with self._lock:
            if self._closing:
                return None
            worker = Worker(self._seed, self._threads_per_worker)
            self._living.add(worker)
            return worker


class Worker:
    """One worker process: jobs go to its standard input, one JSON line each; reports come back on a pipe."""

    def __init__(self, seed: RunSeed, threads: int) -> None:
        self._mark = secrets.token_hex(16)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the worker
        read_end, write_end = os.pipe()
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ, MARK: self._mark}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "agentkernelarena.run.worker", str(write_end)],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, env=environment, pass_fds=(write_end,),
            start_new_session=True,
        )
        os.close(write_end)
        # A stray that holds the pipe would keep its end from being seen: strays go as soon as the worker has gone.
        threading.Thread(target=self._clean_up, daemon=True).start()
        self._replies = os.fdopen(read_end, encoding="utf-8")
        self._say(seed.dump())

    def perform(self, job: Job, on_stage: Callable[[str], None]) -> tuple[str, bool]:
        """Carry out a job; return the fault ("" for none) and whether the worker can take another."""
        message = {"folder": str(job.folder), "trial": job.trial, "attempt": job.attempt}
        self._say(json.dumps(message))
        for line in self._replies:
            reply = json.loads(line)
            if "stage" in reply:
                on_stage(str(reply["stage"]))
            else:
                return str(reply["fault"]), True
        self.end(_GRACE_S)
        return self._obituary(), False

    def hang_up(self) -> None:
        """Close its standard input: it ends what it started, then itself."""
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def end(self, grace_s: float) -> None:
        """Wait `grace_s` for it to go, then make sure that it and all its strays are gone."""
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        end_marked(self._mark)

    def _clean_up(self) -> None:
        self._process.wait()
        end_marked(self._mark)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        # A worker that died, or was hung up on between two jobs, is noticed when no reply comes.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def _obituary(self) -> str:
        code = self._process.returncode
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _TAIL_BYTES))
        tail = self._log.read().decode("utf-8", "replace").strip()
        return f"the trial's worker process ended {how}" + (f"; its last words:\n{tail}" if tail else "")


EXECUTOR = LocalExecutor()
