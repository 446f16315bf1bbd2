"""`aka doctor`: what this machine can do, and which command installs what it lacks."""

from __future__ import annotations

from typing import Annotated

import typer

from agentkernelarena.cli._flag import Json, flag
from agentkernelarena.cli.completion import targets


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    target: Annotated[str, flag("NAME", "Target that has to work.", targets)] = "auto", json_: Json = False
) -> int:
    """Show what works here and how to install what does not.

    Exit code 0 when the target can run tasks, 1 when something that it needs is missing.
    """
    from agentkernelarena.cli._output import columns, only_result_on_stdout
    from agentkernelarena.run.diagnosis import diagnose

    with only_result_on_stdout():
        diagnosis = diagnose(target)
    if json_:
        print(diagnosis.model_dump_json(indent=1))
    else:
        print(columns(("part", "state", "detail"), [(f.part, f.state.value, f.detail) for f in diagnosis.findings]))
        if remedies := [f"  {f.part}: {f.remedy}" for f in diagnosis.findings if f.remedy]:
            print("\nto get what is not here:", *remedies, sep="\n")
        print(f"\ntarget {diagnosis.target} " + ("can run tasks" if diagnosis.usable else "cannot run tasks here"))
    return 0 if diagnosis.usable else 1
