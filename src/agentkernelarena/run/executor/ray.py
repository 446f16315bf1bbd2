"""Trials as Ray tasks, for clusters. Needs `pip install ray`, and the run folder on storage that all nodes share."""

from __future__ import annotations

import importlib
import importlib.util
import queue
import threading
from types import ModuleType, TracebackType

from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import InputError
from agentkernelarena.run.executor import Begun, Done, Job, Report


class RayExecutor:
    """See `agentkernelarena.run.executor.Executor`. Stages are not reported: a task's end is."""

    def preflight(self, workers: int) -> None:
        if importlib.util.find_spec("ray") is None:
            raise InputError("executor ray", "Ray is not installed", "pip install ray, or use --executor local")

    def start(self, workers: int, seed: RunSeed) -> RaySession:
        self.preflight(workers)
        return RaySession(importlib.import_module("ray"), workers, seed)


class RaySession:
    """See `agentkernelarena.run.executor.Session`."""

    def __init__(self, ray: ModuleType, workers: int, seed: RunSeed) -> None:
        self._ray = ray
        self._seed = seed.dump()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]

    def __enter__(self) -> RaySession:
        if not self._ray.is_initialized():
            self._ray.init(log_to_driver=False)
        # One process per trial: a crash costs one attempt, and Ray ends the process with all that it holds.
        self._remote = self._ray.remote(max_calls=1, max_retries=0)(_carry_out)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        self._ray.shutdown()

    def submit(self, job: Job) -> None:
        self._jobs.put(job)

    def next(self) -> Report:
        while True:
            try:
                return self._reports.get(timeout=0.5)
            except queue.Empty:
                continue

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._reports.put(Begun(job))
            try:
                fault = str(self._ray.get(self._remote.remote(job, self._seed)))
            except Exception as error:  # whatever Ray raises for a lost worker or node is a fault of the harness
                fault = f"{type(error).__name__}: {error}"
            self._reports.put(Done(job, fault))


def _carry_out(job: Job, seed: str) -> str:
    from agentkernelarena.run.process import adopt_orphans, end_descendants
    from agentkernelarena.run.trial import perform

    adopt_orphans()
    try:
        return perform(job, RunSeed.load(seed), lambda stage: None)
    finally:
        end_descendants()


EXECUTOR = RayExecutor()
