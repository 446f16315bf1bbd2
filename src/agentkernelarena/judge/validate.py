"""Validation of a task: what has to hold before anybody is measured with it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator

from pydantic import Field

from agentkernelarena import target as targets
from agentkernelarena.errors import ArenaError
from agentkernelarena.judge import JudgeOptions, judge
from agentkernelarena.judge.compare import MINIMUM_K, expect
from agentkernelarena.judge.compile_gate import compile_side
from agentkernelarena.judge.draw import Source
from agentkernelarena.judge.null_candidate import NullResult, run, situation
from agentkernelarena.result import Judgement, Record
from agentkernelarena.submission import Submission, from_path
from agentkernelarena.target import Target
from agentkernelarena.task.loader import categories
from agentkernelarena.task.task import Task
from agentkernelarena.task.unseen import draw_unseen

COMPILE_TARGETS = ("amd:gfx90a", "amd:gfx942", "amd:gfx950", "amd:gfx1100", "nvidia:sm_90")
_DRAWS_OF_NULLS = 6
HIGHEST_FRACTION, LOWEST_FRACTION = 0.85, 0.02


class Validation(Record):
    """What was found. `findings` name what has to be mended; none means sound. `warnings` deserve a look.

    error_ratio: the baseline's largest error over the bound that submissions get. fractions: speed of light per seen
    configuration (physical floor / baseline time), where the device's peaks are known.
    """

    task: str
    target: str
    findings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    null_candidates: tuple[NullResult, ...] = ()
    compiled: tuple[str, ...] = ()
    not_compiled_here: tuple[str, ...] = ()
    error_ratio: float | None = None
    unseen_judged: int = 0
    baseline_us: dict[str, float] = Field(default_factory=dict)
    fractions: dict[str, float] = Field(default_factory=dict)
    seconds: float = 0.0

    @property
    def rejected(self) -> tuple[int, int]:
        """(null candidates rejected, null candidates that had to be)."""
        wanted = [r for r in self.null_candidates if not r.exempt]
        return sum(r.rejected for r in wanted), len(wanted)


def validate(
    task: Task,
    target: Target,
    progress: Callable[[str], None] | None = None,
    *,
    unseen: int = 12,
    compile_for: tuple[str, ...] = COMPILE_TARGETS,
    seed: bytes | None = None,
    isolation: str = "auto",
    inspect: Callable[[Judgement], object] | None = None,
) -> Validation:
    """Judge the baseline against itself, throw null candidates at the checker, compile for absent hardware.

    A missing compiler is no finding: what could not be compiled here is listed. `inspect` is given the judgement.
    """
    say, start = progress or (lambda _: None), time.monotonic()
    entry = categories()[task.category].entry
    if not (task.folder / entry).is_file():
        missing = f"there is no {entry} in the operator's folder to hand in: add one that is right"
        return Validation(task=task.id, target=target.name, findings=(missing,), seconds=time.monotonic() - start)
    seed = seed or secrets.token_bytes(32)
    findings: list[str] = []
    say(f"{task.id}: judging the baseline")
    draws = draw_unseen(task, seed, unseen, lambda c: target.fits(task, c), list(target.seen(task).values()))
    options = JudgeOptions(seed=seed, unseen=draws, isolation=isolation, sanitize=True)
    try:
        judgement: Judgement | None = judge(task, baseline_submission(task), target, options)
    except ArenaError as error:
        findings.append(str(error))
        judgement = None
    if judgement is not None:
        findings += _judged(judgement)
        if inspect is not None:
            inspect(judgement)
    nulls = _null_candidates(task, target, seed, _widest(judgement))
    findings += [f"the checker lets a null candidate pass: {r.name}" for r in nulls if not r.rejected and not r.exempt]
    compiled, absent, errors = _compile(task, compile_for, isolation)
    findings += errors
    fractions = _fractions(judgement) if judgement else {}
    return Validation(
        task=task.id, target=target.name, findings=tuple(findings), warnings=tuple(_headroom(fractions)),
        null_candidates=tuple(nulls), compiled=tuple(compiled), not_compiled_here=tuple(absent),
        error_ratio=_worst(judgement) if judgement else None, unseen_judged=len(judgement.unseen) if judgement else 0,
        baseline_us={c.name: c.baseline.time_us for c in judgement.seen if c.baseline.time_us} if judgement else {},
        fractions=fractions, seconds=time.monotonic() - start,
    )  # fmt: skip


def baseline_submission(task: Task) -> Submission:
    """What hands in the suite's own kernel: the baseline, or for torch2hip the operator's HIP baseline."""
    category = categories()[task.category]
    return from_path(task.folder / category.entry, category.entry)


def _widest(judgement: Judgement | None) -> float:
    """The widest bound that any configuration gave to submissions."""
    found = [c.bound_k for c in judgement.configurations if c.bound_k is not None] if judgement else []
    return max(found, default=MINIMUM_K)


def _null_candidates(task: Task, target: Target, seed: bytes, k_acc: float) -> list[NullResult]:
    source = Source(task, seed, target.device)
    situations = []
    for cfg in dict.fromkeys((task.smoke, *list(target.seen(task).values())[:2])):
        small = cfg if target.device == "cpu" else task.smoke
        for family in list(task.operator.families)[:_DRAWS_OF_NULLS]:
            case = source.case(small, family)
            situations.append(situation(task, small, case, expect(task, small, case), source.case(small, family)))
        if target.device != "cpu":
            break
    return run(task, situations, k_acc)


def _judged(judgement: Judgement) -> Iterator[str]:
    if not judgement.outcome.passed:
        yield f"the baseline, handed in, ends as {judgement.outcome.status.value}: {judgement.outcome.reason}"
    for c in judgement.unseen:
        if not c.baseline.outcome.passed:
            yield f"the baseline fails at {c.name} ({c.stratum}) {c.configuration}: {c.baseline.outcome.reason}"


def _worst(judgement: Judgement) -> float | None:
    return max(
        (c.baseline.error_ratio for c in judgement.configurations if c.baseline.error_ratio is not None), default=None
    )


def _fractions(judgement: Judgement) -> dict[str, float]:
    from agentkernelarena.device.peak import FLOOR_SHARE

    return {
        c.name: c.floor_us / FLOOR_SHARE / c.baseline.time_us
        for c in judgement.seen
        if c.floor_us is not None and c.baseline.time_us
    }


def _headroom(fractions: dict[str, float]) -> Iterator[str]:
    if fractions and sum(f <= HIGHEST_FRACTION for f in fractions.values()) < 2:
        yield f"fewer than two seen configurations have headroom (speed-of-light fraction up to {HIGHEST_FRACTION})"
    if fractions and max(fractions.values()) < LOWEST_FRACTION:
        yield f"every speed-of-light fraction is below {LOWEST_FRACTION}: look for an accident"


def _compile(task: Task, names: tuple[str, ...], isolation: str) -> tuple[list[str], list[str], list[str]]:
    """(compiled for, no compiler here for, findings), for the kernel that the task's language names."""
    category = categories()[task.category]
    submission = baseline_submission(task)
    compiled, absent, findings = [], [], []
    for name in names:
        place = targets.load(name)
        if place.toolchain(category.language).missing():
            absent.append(name)
            continue
        configurations = list({task.build_key(c): c for c in task.seen.values()}.values())
        result = compile_side(
            task, place, submission.files, category.entry, category.language, configurations, isolation
        ).result
        if result.outcome.passed:
            compiled.append(name)
        else:
            findings.append(f"does not compile for {name}: {result.outcome.reason}")
    return compiled, absent, findings
