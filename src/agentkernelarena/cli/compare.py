"""`aka compare`: two runs, paired by task and configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentkernelarena.cli._flag import Json, flag


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's folder.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another run's folder, or the same for two agents.")],
    agent_a: Annotated[str | None, flag("NAME", "Agent of A, where it has several.")] = None,
    agent_b: Annotated[str | None, flag("NAME", "Agent of B, where it has several.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Even if suite, target or protocol differ.")] = False,
    json_: Json = False,
) -> int:
    """Compare two runs, paired by task and configuration."""
    from agentkernelarena.cli._output import show_table
    from agentkernelarena.report import compare as compared
    from agentkernelarena.report import table
    from agentkernelarena.store import open_run

    answer = compared(open_run(first), open_run(second), agent_a, agent_b, force=force)
    if json_:
        print(answer.model_dump_json(indent=1))
    else:
        show_table(table.comparison(answer))
    return 0
