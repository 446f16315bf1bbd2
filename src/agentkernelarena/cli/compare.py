"""`aka compare`: two runs, paired by task and configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentkernelarena.cli._flag import Json


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's folder.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another run's folder.")],
    force: Annotated[bool, typer.Option("--force", help="Even if suite, target or protocol differ.")] = False,
    json_: Json = False,
) -> int:
    """Compare two runs, paired by task and configuration."""
    raise NotImplementedError
