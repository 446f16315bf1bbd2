"""`aka verify`: recompute what a run claims."""

from __future__ import annotations

import json

import typer

from agentkernelarena.cli._flag import Json, Run, Secret


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(run: Run, unseen_secret: Secret = None, json_: Json = False) -> int:
    """Recompute what a run claims from its raw records.

    That the seed opens the commitment, that the unseen configurations follow from it, that files and records are
    whole, and that every number follows from the samples. Exit code 0 when all of it does, else 1.
    """
    from agentkernelarena.cli._output import only_result_on_stdout
    from agentkernelarena.report import inspect
    from agentkernelarena.store import open_run

    with only_result_on_stdout():
        found = inspect(open_run(run), unseen_secret)
    if json_:
        problems = [{"place": p.place, "problem": p.problem} for p in found.problems]
        print(json.dumps({"passed": found.passed, "problems": problems, "checked": found.checked,
                          "unchecked": found.unchecked}, indent=1))
        return 0 if found.passed else 1
    for problem in found.problems:
        print(problem)
    print("checked: " + (", ".join(f"{count} {thing}" for thing, count in found.checked.items()) or "nothing"))
    for reason in found.unchecked:
        print(f"not checked: {reason}")
    print("everything agrees" if found.passed else f"{len(found.problems)} problems")
    return 0 if found.passed else 1
