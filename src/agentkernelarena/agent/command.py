"""Any program: started in the workspace, confined, for as long as the wall time lasts.

setting `command`: the program and its arguments, looked up in the sandbox's PATH. {prompt} in an argument stands for
the text of TASK.md, {workspace} for the folder as the program sees it. option `network`: ``yes`` lets it reach the
network (``no`` by default); option `bind`: paths of the host, separated by colons, that it may read.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._program import check_settings, run_program, status_of
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.sandbox import Bind


class Command:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        check_settings(settings, options=("network", "bind"), command=True)
        if not settings.command:
            raise InputError("agent command: command", "is empty", "name the program and its arguments")
        if settings.options.get("network", "no") not in ("yes", "no"):
            raise InputError("agent command: options.network", "is neither yes nor no", "write yes or no")
        for path in _bound(settings):
            if not path.exists():
                raise InputError("agent command: options.bind", f"{path} does not exist", "name paths of this machine")

    def solve(self, task: AgentTask) -> AgentStatus:
        binds = tuple(Bind.of(path) for path in _bound(task.settings))
        spec = task.workspace.spec()
        prompt = (task.workspace.folder / "TASK.md").read_text(encoding="utf-8")
        inside = str(task.engine.inside(spec, task.workspace.folder))
        argv = [word.replace("{workspace}", inside).replace("{prompt}", prompt) for word in task.settings.command]
        ended = run_program(task, argv, read_only=binds, network=task.settings.options.get("network") == "yes")
        return status_of(task, ended)


def _bound(settings: AgentSettings) -> list[Path]:
    return [Path(p).absolute() for p in settings.options.get("bind", "").split(os.pathsep) if p]


AGENT = Command()
