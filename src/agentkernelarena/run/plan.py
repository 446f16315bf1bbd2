"""From settings to a plan: which tasks the patterns name, and every trial in the order in which it will be tried."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.record import AgentSettings, PlannedTrial, RunSettings
from agentkernelarena.task import loader


def select_tasks(patterns: Sequence[str], place: str = "tasks") -> tuple[str, ...]:
    """Ids of the tasks that `patterns` name, each once, in the order of the patterns.

    A pattern is an id (``hip2hip/rmsnorm``) or a shell pattern over ids (``hip2hip/*``, ``*/softmax``, ``*``); one
    that begins with ``!`` takes away what it matches.

    Raises:
        InputError: a pattern matches nothing, or nothing is left.
    """
    known = loader.task_ids()
    chosen: dict[str, None] = {}
    for pattern in patterns:
        negated, bare = pattern.startswith("!"), pattern.removeprefix("!")
        matches = [task for task in known if fnmatch.fnmatchcase(task, bare)]
        if not matches:
            hint = nearest(bare, known) if len(known) < 20 or not _is_glob(bare) else ""
            raise InputError(f"{place}: {pattern!r}", "matches no task", _short(hint) or "see `aka task list`")
        for task in matches:
            if negated:
                chosen.pop(task, None)
            else:
                chosen[task] = None
    if not chosen:
        raise InputError(place, "no task is left", "name at least one; see `aka task list`")
    return tuple(chosen)


def _is_glob(pattern: str) -> bool:
    return any(c in pattern for c in "*?[")


def _short(hint: str) -> str:
    return hint if len(hint) < 120 else "see `aka task list`"


def plan_trials(settings: RunSettings, tasks: Sequence[str]) -> tuple[PlannedTrial, ...]:
    """All trials: repetition by repetition, so that a run that is cut short has covered every task evenly.

    Raises:
        InputError: two contenders have the same name.
    """
    names = [agent.name for agent in settings.agents]
    for name in names:
        if names.count(name) > 1:
            raise InputError("agents", f"two contenders are called {name!r}", "give each a label of its own")
    return tuple(
        PlannedTrial(id=_trial_id(agent, task, repetition), agent=agent.name, task=task, repetition=repetition)
        for repetition in range(1, settings.trials + 1)
        for task in tasks
        for agent in settings.agents
    )


def _trial_id(agent: AgentSettings, task: str, repetition: int) -> str:
    return f"{_word(agent.name)}--{_word(task.replace('/', '-'))}--{repetition}"


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text)
