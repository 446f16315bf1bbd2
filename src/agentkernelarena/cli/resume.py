"""`aka resume`: go on with a run that was interrupted."""

from __future__ import annotations

from typing import Annotated

import typer

from agentkernelarena.cli._flag import Executor, Json, Run, Secret, Workers


def register(app: typer.Typer) -> None:
    app.command("resume")(resume)


def resume(
    run: Run,
    workers: Workers = None,
    retry_faults: Annotated[bool, typer.Option(
        "--retry-faults", help="Repeat trials that the harness failed at (infrastructure_error), too.",
    )] = False,
    unseen_secret: Secret = None,
    executor: Executor = "local",
    json_: Json = False,
) -> int:
    """Go on with an interrupted run. Finished trials are not repeated."""
    from agentkernelarena.cli._output import only_result_on_stdout
    from agentkernelarena.cli._progress import watching
    from agentkernelarena.cli.run import finish
    from agentkernelarena.run.run import resume as resume_run

    with only_result_on_stdout(), watching() as observer:
        result = resume_run(
            run, secret_file=unseen_secret, executor=executor, workers=workers, retry_faults=retry_faults,
            observer=observer,
        )
    return finish(result, json_)
