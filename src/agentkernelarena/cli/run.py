"""`aka run`: agents on tasks, from a run file or from flags."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernelarena.cli._flag import Executor, Json, Secret, Seed, Workers, flag
from agentkernelarena.cli.completion import agents, targets, task_ids

if TYPE_CHECKING:
    from agentkernelarena.record import RunSettings
    from agentkernelarena.run.run import RunResult


_TASKS = "Task id or shell pattern, such as 'hip2hip/*'; '!pattern' takes away; repeat."


def register(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    run_file: Annotated[Path | None, typer.Argument(metavar="RUNFILE", help="YAML; flags override it.")] = None,
    agent: Annotated[list[str] | None, flag("NAME", "Agent; repeat for several.", agents)] = None,
    tasks: Annotated[list[str] | None, flag("PATTERN", _TASKS, task_ids)] = None,
    target: Annotated[str | None, flag("NAME", "auto, cpu, nvidia or amd.", targets)] = None,
    trials: Annotated[int | None, flag("N", "Trials of each agent on each task.")] = None,
    workers: Workers = None,
    unseen: Annotated[int | None, flag("N", "Unseen configurations per task.")] = None,
    draw: Annotated[str | None, flag("NAME", "Unseen draw: random, public-<n> or secret.")] = None,
    unseen_secret: Secret = None,
    seed: Seed = None,
    budget_s: Annotated[float | None, flag("SECONDS", "Wall time of each agent.")] = None,
    turns: Annotated[int | None, flag("N", "Most turns of each agent.")] = None,
    tokens: Annotated[int | None, flag("N", "Most tokens of each agent.")] = None,
    cost_usd: Annotated[float | None, flag("USD", "Most that each agent may cost.")] = None,
    model: Annotated[str | None, flag("NAME", "Model of the agents named by --agent.")] = None,
    command: Annotated[str | None, flag("WORDS", "Program and arguments of the `command` agent.")] = None,
    option: Annotated[list[str] | None, flag("KEY=VALUE", "Option of the agents; repeat.")] = None,
    sandbox: Annotated[str | None, flag("NAME", "Confinement of agents: auto, bwrap or none.")] = None,
    isolation: Annotated[str | None, flag("NAME", "Confinement of kernels: auto, bwrap, unshare or none.")] = None,
    executor: Executor = "local",
    out: Annotated[Path | None, flag("FOLDER", "Folder of the run. Default: runs/<time>-<id>.")] = None,
    json_: Json = False,
) -> int:
    """Let agents work on tasks, judge what they hand in, report.

    For example: aka run --agent noop --tasks 'hip2hip/*' --target cpu
    """
    from agentkernelarena.cli._output import only_result_on_stdout
    from agentkernelarena.cli._progress import watching
    from agentkernelarena.run.run import run_settings

    contenders = [_contender(name, model, command, option or []) for name in agent or []]
    budget = {"wall_s": budget_s, "turns": turns, "tokens": tokens, "cost_usd": cost_usd}
    settings = _settings(run_file, {
        "agents": contenders or None, "tasks": tasks or None, "target": target, "trials": trials, "workers": workers,
        "unseen": unseen, "draw": draw, "seed": seed, "sandbox": sandbox, "isolation": isolation,
        "budget": {k: v for k, v in budget.items() if v is not None} or None,
    })
    with only_result_on_stdout(), watching() as observer:
        result = run_settings(settings, out, secret_file=unseen_secret, executor=executor, observer=observer)
    return finish(result, json_)


def _contender(name: str, model: str | None, command: str | None, options: list[str]) -> dict[str, object]:
    from agentkernelarena.errors import InputError

    pairs = [pair.partition("=") for pair in options]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise InputError(f"--option {key!r}", "is not KEY=VALUE", "write --option effort=high")
    try:
        words = shlex.split(command or "")
    except ValueError as error:
        raise InputError("--command", f"cannot be split into words: {error}", "check its quotes") from error
    return {"agent": name, "model": model or "", "command": words, "options": {k: v for k, _, v in pairs}}


def _settings(file: Path | None, flags: dict[str, object]) -> RunSettings:
    """The run file's settings with the flags that were given on top."""
    from agentkernelarena.errors import InputError
    from agentkernelarena.run import run_file

    given = {key: value for key, value in flags.items() if value is not None}
    if file is None:
        for key, name in (("agents", "--agent"), ("tasks", "--tasks")):
            if key not in given:
                raise InputError("aka run", f"no run file and no {name}", "give RUNFILE, or --agent and --tasks")
        return run_file.from_values({"target": "auto", **given}, "aka run")
    settings = run_file.load(file).model_dump(mode="json")
    budget = {**settings["budget"], **given.pop("budget", {})}  # type: ignore[dict-item]
    return run_file.from_values({**settings, **given, "budget": budget}, "aka run")


def finish(result: RunResult, json_: bool) -> int:
    """Write the HTML report, print the summary, and return the exit code."""
    from agentkernelarena.cli._output import say
    from agentkernelarena.cli.report import Format, show, text_of
    from agentkernelarena.document import write_atomic
    from agentkernelarena.report import build
    from agentkernelarena.store import open_run

    report = build(open_run(result.folder))
    show(report, Format.JSON if json_ else Format.TABLE)
    page = result.folder / "report.html"
    write_atomic(page, text_of(report, Format.HTML))
    say(f"\nreport: {page}\nrun:    {result.folder}")
    return 0 if result.passed else 1
