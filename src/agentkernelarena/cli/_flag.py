"""Flags that several commands share, and a short way to declare the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from agentkernelarena.cli.completion import task_ids

Complete = Callable[[str], list[str]]


def flag(metavar: str, help_: str, complete: Complete | None = None) -> Any:
    """An option that takes a value; its name follows from the parameter's."""
    return typer.Option(metavar=metavar, help=help_, autocompletion=complete)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")]
Secret = Annotated[Path | None, flag("FILE", "Seed material of a secret draw.")]
Executor = Annotated[str, flag("NAME", "Where trials run: local or ray.")]
Workers = Annotated[int | None, flag("N", "Trials at the same time.")]
Seed = Annotated[int | None, flag("N", "Fix every random choice: for tests, not for results.")]
TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Such as hip2hip/rmsnorm.", autocompletion=task_ids)]
Patterns = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATTERN", help="Ids or shell patterns, such as 'hip2hip/*'.", autocompletion=task_ids),
]
