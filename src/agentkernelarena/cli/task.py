"""`aka task`: what the suite holds, what a task asks, whether a task is sound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernelarena.cli._flag import Json, Patterns, TaskId, flag
from agentkernelarena.cli.completion import targets

if TYPE_CHECKING:
    from agentkernelarena.task.task import Task


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="List, show and validate tasks.", no_args_is_help=True, rich_markup_mode=None)
    group.command("list")(list_tasks)
    group.command("show")(show)
    group.command("validate")(validate)
    app.add_typer(group, name="task")


def list_tasks(patterns: Patterns = None, json_: Json = False) -> int:
    """List the tasks of the suite."""
    from agentkernelarena.cli._output import columns, say
    from agentkernelarena.run.plan import select_tasks
    from agentkernelarena.task import loader

    folders = loader.operator_folders()
    rows = []
    for task in select_tasks(patterns or ["*"], "task list"):
        folder = folders[task.partition("/")[2]]
        rows.append((task, folder.parent.name, loader.title_of(folder)))
    if json_:
        print(json.dumps([{"id": i, "family": f, "title": t} for i, f, t in rows], indent=1))
        return 0
    print(columns(("task", "family", "title"), rows))
    say(f"\n{len(rows)} tasks, {len({r[0].partition('/')[2] for r in rows})} operators")
    return 0


def show(task: TaskId, json_: Json = False) -> int:
    """Show what a task asks: interface, axes, configurations, files."""
    from agentkernelarena.cli._output import only_result_on_stdout
    from agentkernelarena.task import loader

    with only_result_on_stdout():
        loaded = loader.load_task(task)
    print(json.dumps(_facts(loaded), indent=1) if json_ else _page(loaded))
    return 0


def _facts(task: Task) -> dict[str, object]:
    from agentkernelarena.task import abi, loader

    category = loader.categories()[task.category]
    hip = category.language == "hip"
    return {
        "id": task.id, "title": task.operator.title, "family": task.operator.family, "category": category.title,
        "digest": task.digest, "folder": str(task.folder), "baseline": category.baseline, "entry": category.entry,
        "libraries": category.libraries.value, "interface": abi.prototype(task) if hip else abi.signature(task),
        "arguments": abi.describe(task),
        "axes": {name: axis.describe() for name, axis in task.operator.axes.items()},
        "constraint": task.operator.constraint, "accumulation": task.operator.accumulation,
        "seen": {name: dict(cfg) for name, cfg in task.seen.items()}, "smoke": dict(task.smoke),
    }


def _page(task: Task) -> str:
    from agentkernelarena.cli._output import columns
    from agentkernelarena.task import abi, loader

    category = loader.categories()[task.category]
    axes = list(task.operator.axes)
    seen = {**task.seen, "smoke": task.smoke}
    baseline = "the PyTorch reference" if category.baseline_language == "torch" else category.baseline
    parts = [
        f"{task.id}: {task.operator.title}",
        f"category      {category.title} (libraries: {category.libraries.value})",
        f"family        {task.operator.family}",
        f"hand in       {category.entry}; measured against {baseline}",
        f"accumulation  {task.operator.accumulation}",
        f"constraint    {task.operator.constraint or 'none'}",
        f"folder        {task.folder}",
        "", abi.prototype(task) if category.language == "hip" else abi.signature(task), "",
        *(f"  {line}" for line in abi.describe(task)), "",
        columns(("axis", "values"), [(n, a.describe()) for n, a in task.operator.axes.items()]), "",
        columns(("configuration", *axes), [(n, *(str(c[a]) for a in axes)) for n, c in seen.items()],
                right=range(1, len(axes) + 1)),
    ]
    return "\n".join(parts)


def validate(
    patterns: Patterns = None,
    target: Annotated[str, flag("NAME", "Where to run: auto, cpu, nvidia, amd.", targets)] = "auto",
    unseen: Annotated[int, flag("N", "Unseen configurations to try the baseline on.")] = 12,
    compile_: Annotated[bool, typer.Option("--compile/--no-compile", help="Also compile for absent hardware.")] = True,
    json_: Json = False,
) -> int:
    """Check that tasks are sound.

    That the declaration holds, the baseline is right everywhere, and the checker lets no null candidate pass.
    """
    from agentkernelarena.cli._output import only_result_on_stdout, say
    from agentkernelarena.errors import InputError
    from agentkernelarena.judge.validate import COMPILE_TARGETS
    from agentkernelarena.judge.validate import validate as validate_task
    from agentkernelarena.run.plan import select_tasks
    from agentkernelarena.target import load
    from agentkernelarena.task import loader

    found = []
    with only_result_on_stdout():
        place = load(target)
        if unseen < 0:
            raise InputError("--unseen", f"{unseen} is negative", "give 0 or more")
        for task_id in select_tasks(patterns or ["*"], "task validate"):
            validation = validate_task(
                loader.load_task(task_id), place, unseen=unseen, compile_for=COMPILE_TARGETS if compile_ else ()
            )
            found.append(validation)
            rejected, wanted = validation.rejected
            said = "; ".join(validation.findings) or f"sound, {rejected} of {wanted} null candidates rejected"
            say(f"{task_id}: {said} ({validation.seconds:.1f} s)")
            for warning in validation.warnings:
                say(f"  note: {warning}")
    if json_:
        print(json.dumps([v.model_dump(mode="json") for v in found], indent=1))
    else:
        print(f"{sum(not v.findings for v in found)} of {len(found)} tasks are sound")
    return 0 if not any(v.findings for v in found) else 1
