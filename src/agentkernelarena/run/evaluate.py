"""Judging one submission outside a run: what `aka evaluate` and the Python API do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentkernelarena import target as targets
from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import InputError
from agentkernelarena.judge import JudgeOptions, judge
from agentkernelarena.result import Judgement
from agentkernelarena.submission import Submission, from_path
from agentkernelarena.task import loader
from agentkernelarena.task.task import Task
from agentkernelarena.task.unseen import UnseenConfiguration, draw_unseen

BASELINE = "baseline"


def evaluate(
    task: str | Task, submission: str | Path | Submission, *, target: str = "auto", unseen: int = 0,
    seed: int | None = None, isolation: str = "auto", compile_only: bool = False, smoke_only: bool = False,
    time: bool = True, sanitize: bool = False, progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Put one submission through the gates.

    task: an id or a loaded task. submission: a file, a folder of files, ``baseline`` (the suite's own kernel), or a
    frozen `Submission`. unseen: how many unseen configurations to draw besides the seen ones. seed: fixes every
    random choice. compile_only, smoke_only, time: where to stop, and on what. sanitize: also run an
    instrumented build that reports accesses out of bounds (HIP on cpu).

    Raises:
        InputError: an unknown task or target, or a submission that cannot be read.
    """
    if unseen < 0:
        raise InputError("--unseen", f"{unseen} is negative", "give 0 or more")
    loaded = loader.load_task(task) if isinstance(task, str) else task
    place = targets.load(target)
    if place.compile_only and not compile_only:
        raise InputError(
            f"target {place.name}", "has no device on this machine: kernels can be compiled but not run",
            "add --compile-only, or choose another --target",
        )
    frozen = submission if isinstance(submission, Submission) else read_submission(loaded, submission)
    material = RunSeed.fresh() if seed is None else RunSeed.fixed(seed)
    drawn: tuple[UnseenConfiguration, ...] = ()
    if unseen and not compile_only:
        anchors = tuple(place.seen(loaded).values())
        drawn = draw_unseen(loaded, material.for_task(loaded.id), unseen, lambda c: place.fits(loaded, c), anchors)
    options = JudgeOptions(
        seed=judge_seed(material, f"evaluate/{loaded.id}"), unseen=drawn, isolation=isolation,
        compile_only=compile_only, smoke_only=smoke_only, time=time, sanitize=sanitize,
    )
    return judge(loaded, frozen, place, options, progress)


def judge_seed(material: RunSeed, trial: str) -> bytes:
    """The seed from which the judge of one trial takes values and orders."""
    return material.for_trial(trial, "judge").to_bytes(8, "big")


def read_submission(task: Task, source: str | Path) -> Submission:
    """A submission from a file, a folder, or ``baseline``; raise `InputError` when there is none."""
    entry = loader.categories()[task.category].entry
    if str(source) != BASELINE:
        return from_path(Path(source), entry)
    if not (task.folder / entry).is_file():
        raise InputError("--submission baseline", f"the suite has no {entry} for {task.id}", "give a path")
    return from_path(task.folder / entry, entry)
