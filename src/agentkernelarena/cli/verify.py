"""`aka verify`: recompute what a run claims."""

from __future__ import annotations

import typer

from agentkernelarena.cli._flag import Json, Run, Secret


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(run: Run, unseen_secret: Secret = None, json_: Json = False) -> int:
    """Recompute what a run claims from its raw records."""
    raise NotImplementedError
