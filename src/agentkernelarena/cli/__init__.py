"""The `aka` program. One file per command: it parses, calls and prints, and holds no logic.

Exit codes: 0 done and passed, 1 done and not passed, 2 usage or bad input, 3 a fault of the harness or the machine,
130 interrupted. Commands import what they call in their bodies, so that `aka --help` and completion stay quick.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Collection, Sequence
from types import FrameType
from typing import NoReturn

import typer
from typer.core import TyperGroup

from agentkernelarena import __version__
from agentkernelarena.errors import InfrastructureError, InputError

COMMANDS = {
    "doctor": "Show what works here and how to install what does not.",
    "task": "List, show and validate tasks.",
    "evaluate": "Compile, check and time one submission.",
    "run": "Let agents work on tasks, judge what they hand in, report.",
    "resume": "Go on with an interrupted run.",
    "report": "Report on a run, finished or not.",
    "transcript": "Show what an agent said and did in a trial.",
    "compare": "Compare two runs, paired by task and configuration.",
    "verify": "Recompute what a run claims from its raw records.",
    "completion": "Print the completion script of a shell.",
}
"""Summaries, in the order in which somebody new meets the commands; each is a module of this package."""

PASSED, NOT_PASSED, BAD_INPUT, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


class _InOrder(TyperGroup):
    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)


def build_app(wanted: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command tree. Commands that are not `wanted` have a name and a summary only: half the time of a call."""
    app = typer.Typer(
        name="aka", cls=_InOrder, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )

    @app.callback()
    def root(
        version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True, callback=_version),
    ) -> None:
        """Measure how well AI coding agents optimise GPU kernels."""

    for name, summary in COMMANDS.items():
        if name in wanted:
            importlib.import_module(f"agentkernelarena.cli.{name}").register(app)
        else:
            app.command(name, help=summary)(_not_wanted)
    return app


def _not_wanted() -> int:
    raise AssertionError("called a command that was not built")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"agentkernelarena {__version__}")
        raise typer.Exit(0)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, _terminated)
    if "_AKA_COMPLETE" in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    code = _guarded(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (a pager, `head`) has left: nothing more to say, and nothing to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _guarded(arguments: list[str]) -> int:
    try:
        # The first word names the command; completion asks for all, because the words come by the environment then.
        wanted = tuple(COMMANDS) if "_AKA_COMPLETE" in os.environ else arguments[:1]
        code = build_app(wanted)(arguments, prog_name="aka", standalone_mode=False)
        return code if isinstance(code, int) else PASSED
    except InputError as error:
        return _failed(arguments, BAD_INPUT, error.place, error.problem, error.remedy)
    except InfrastructureError as error:
        return _failed(arguments, FAULT, "harness", str(error), "see `aka doctor`")
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return NOT_PASSED
    except Exception as error:
        if hasattr(error, "format_message"):
            return _usage(arguments, error)
        traceback.print_exc()
        return _failed(arguments, FAULT, "aka", f"{type(error).__name__}: {error}", "a defect: please report it")


def _usage(arguments: list[str], error: Exception) -> int:
    """Wrong flags and arguments, in the same form as every other bad input."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "aka"
    if type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help() if context is not None else str(error), file=sys.stderr)
        return BAD_INPUT
    problem = error.format_message().rstrip(".")  # type: ignore[attr-defined]
    return _failed(arguments, BAD_INPUT, command, problem[:1].lower() + problem[1:], f"see `{command} --help`")


def _failed(arguments: list[str], code: int, place: str, problem: str, remedy: str) -> int:
    print(f"error: {place}: {problem}", file=sys.stderr)
    if remedy:
        print(f"  remedy: {remedy}", file=sys.stderr)
    if "--json" in arguments:
        print(json.dumps({"error": {"place": place, "problem": problem, "remedy": remedy}}))
    return code
