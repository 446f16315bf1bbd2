"""`aka report`: what a run found, from its folder alone."""

from __future__ import annotations

import importlib
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernelarena.cli._flag import Run, flag
from agentkernelarena.cli._output import plain, show_table
from agentkernelarena.cli.completion import task_ids

if TYPE_CHECKING:
    from agentkernelarena.report import Report


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    run: Run,
    format_: Annotated[Format, typer.Option("--format", help="Form of the report.")] = Format.TABLE,
    out: Annotated[Path | None, flag("FILE", "File to write instead of standard output.")] = None,
    explain: Annotated[str | None, flag("TASK", "Tell how the numbers of one task came about.", task_ids)] = None,
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Report on a run, finished or not."""
    from agentkernelarena.cli._output import say
    from agentkernelarena.document import write_atomic
    from agentkernelarena.errors import InfrastructureError, InputError
    from agentkernelarena.report import build
    from agentkernelarena.store import open_run

    store = open_run(run)
    if explain is not None:
        from agentkernelarena.report import explain as explanation

        text = explanation(store, explain).rstrip("\n")
        if out is None:
            print(text)
            return 0
    else:
        kind = Format.JSON if json_ else format_
        if out is None:
            show(build(store), kind)
            return 0
        text = text_of(build(store), kind)
    try:
        write_atomic(out, text if text.endswith("\n") else text + "\n")
    except InfrastructureError as error:
        raise InputError("--out", str(error), "choose another file") from error
    say(f"report: {out}")
    return 0


def text_of(report: Report, kind: Format) -> str:
    """The report as text in one form; the table is as wide as it needs to be."""
    rendered = importlib.import_module(f"agentkernelarena.report.{kind.value}").render(report)
    return rendered if isinstance(rendered, str) else plain(rendered)


def show(report: Report, kind: Format) -> None:
    """The report on standard output; a table takes the terminal's width and colours."""
    if kind is Format.TABLE:
        from agentkernelarena.report import table

        show_table(table.render(report))
    else:
        print(text_of(report, kind).rstrip("\n"))
