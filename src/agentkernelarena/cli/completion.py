"""`aka completion`: the script that makes a shell complete commands, flags and task ids."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def register(app: typer.Typer) -> None:
    app.command("completion")(completion)


def completion(shell: Annotated[Shell, typer.Argument(help="Your shell.")]) -> int:
    """Print the completion script of a shell.

    For bash, in ~/.bashrc: eval "$(aka completion bash)"

    For zsh the same with zsh. For fish: aka completion fish | source
    """
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name="aka", complete_var="_AKA_COMPLETE", shell=shell.value))
    return 0


def task_ids(incomplete: str) -> list[str]:
    """Completes a task id; reads file names only."""
    from agentkernelarena.errors import InputError
    from agentkernelarena.task import loader

    try:
        return [task for task in loader.task_ids() if task.startswith(incomplete)]
    except InputError:
        return []


def agents(incomplete: str) -> list[str]:
    """Completes the name of an agent."""
    return _plugins("agent", incomplete)


def targets(incomplete: str) -> list[str]:
    """Completes the kind of a target."""
    return _plugins("target", incomplete)


def _plugins(kind: str, incomplete: str) -> list[str]:
    from agentkernelarena import plugin

    return [name for name in plugin.names(kind) if name.startswith(incomplete)]
