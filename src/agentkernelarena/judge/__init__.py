"""The judge: three gates over seen and unseen configurations, one judgement.

The trusted side. It holds seeds, inputs, references, tolerances and the clock, and never imports a submission; code
of a submission runs in confined workers that see buffers and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentkernelarena.result import Judgement

if TYPE_CHECKING:
    from agentkernelarena.submission import Submission
    from agentkernelarena.target import Target
    from agentkernelarena.task.task import Task
    from agentkernelarena.task.unseen import UnseenConfiguration

PROTOCOL = "1"
"""Version of the measuring protocol: numbers of different versions are not compared."""

__all__ = ["PROTOCOL", "JudgeOptions", "judge"]


@dataclass(frozen=True)
class JudgeOptions:
    """How to judge.

    seed: secret material from which all values, orders and choices follow. unseen: configurations to judge besides
    the seen ones. isolation: engine of the workers' sandbox. compile_only: stop after the compile gate. time: False
    leaves the performance gate out. smoke_only: the smoke configuration alone. only: names of seen configurations to
    judge, all when empty. sanitize: also run an instrumented build that finds accesses out of bounds, where the target
    has one.
    """

    seed: bytes
    unseen: tuple[UnseenConfiguration, ...] = ()
    isolation: str = "auto"
    compile_only: bool = False
    time: bool = True
    smoke_only: bool = False
    only: tuple[str, ...] = ()
    sanitize: bool = False


def judge(
    task: Task,
    submission: Submission,
    target: Target,
    options: JudgeOptions,
    progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Judge `submission` for `task` on `target`.

    What the submission does wrong is in the judgement's outcome; exceptions are faults of the harness.

    Raises:
        InputError: the target cannot judge this (not present, isolation refused).
        InfrastructureError: the harness or the machine failed.
    """
    from agentkernelarena.judge.trial import Judging

    return Judging(task, submission, target, options, progress or (lambda _: None)).judge()
