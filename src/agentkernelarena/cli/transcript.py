"""`aka transcript`: what an agent said and did in a trial."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernelarena.cli._flag import Json, Run, flag

if TYPE_CHECKING:
    from agentkernelarena.store import Store


def register(app: typer.Typer) -> None:
    app.command("transcript")(transcript)


def transcript(
    run: Run,
    trial: Annotated[str | None, typer.Argument(metavar="TRIAL", help="The trial's id, or a part only it has.")] = None,
    width: Annotated[int, flag("N", "Longest text of one event in characters; 0 cuts nothing.")] = 2000,
    json_: Json = False,
) -> int:
    """Show what an agent said and did in a trial.

    Without TRIAL, or with a part that several ids have, the trials are listed. A trial need not be finished.
    """
    from agentkernelarena.errors import InputError
    from agentkernelarena.store import open_run

    store = open_run(run)
    found = store.matching(trial or "")
    if not found:
        raise InputError(f"trial {trial}", "is none of this run's", f"list them: aka transcript {run}")
    if trial is not None and len(found) == 1:
        show(store, found[0], width, json_)
    else:
        listed(store, found, json_)
    return 0


def show(store: Store, trial: str, width: int, as_json: bool) -> None:
    """One trial's transcript on standard output."""
    from agentkernelarena.transcript import read, render

    folder = store.trial_folder(trial)
    record = store.trial(trial) if store.is_finished(trial) else None
    if as_json:
        events = [event.model_dump(mode="json", exclude_defaults=True) for event in read(folder)]
        status = record.agent_status.model_dump(mode="json") if record else None
        print(json.dumps({"trial": trial, "agent_status": status, "events": events}, indent=1))
        return
    empty = True
    for line in render(read(folder), width if width > 0 else None):
        print(line)
        empty = False
    if empty:
        print("nothing was said: this agent keeps no transcript, or has not begun")
    if record is None:
        print(f"{trial}: not finished")
        return
    ended = record.agent_status
    print(f"{trial}: {ended.status}" + (f", {ended.reason}" if ended.reason else "") + f"; {record.outcome.status}")


def listed(store: Store, trials: list[str], as_json: bool) -> None:
    """The trials, one a line, with what there is to read."""
    from agentkernelarena.cli._output import columns
    from agentkernelarena.transcript import read

    rows = []
    for trial in trials:
        ended = store.trial(trial).agent_status.status if store.is_finished(trial) else "not finished"
        events = list(read(store.trial_folder(trial)))
        rows.append((trial, ended, len(events), sum(e.kind == "tool_call" for e in events)))
    if as_json:
        names = ("trial", "status", "events", "tool_calls")
        print(json.dumps({"trials": [dict(zip(names, row, strict=True)) for row in rows]}, indent=1))
    else:
        print(columns(("trial", "agent", "events", "tool calls"), [tuple(map(str, row)) for row in rows], right=(2, 3)))
