"""Hands in recorded files: an earlier run's, a colleague's, or the suite's own baselines.

option `from`: a folder with <category>/<operator>/<files>, or a run's folder, of which the first finished trial of
the task is taken. Without it the suite's own kernel is handed in; for torch2hip that is the operator's HIP baseline,
where it has one.
"""

from __future__ import annotations

import time
from pathlib import Path

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._program import check_settings
from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.submission import Submission, from_path
from agentkernelarena.task import loader

OPTION = "from"


class Replay:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        check_settings(settings, options=(OPTION,))
        source = settings.options.get(OPTION)
        if source and not Path(source).is_dir():
            raise InputError(f"agent replay: options.{OPTION}", f"{source} is not a folder",
                             "give a folder with <category>/<operator>/ or a run's folder")

    def solve(self, task: AgentTask) -> AgentStatus:
        started = time.monotonic()
        try:
            recorded = recorded_submission(task)
        except InputError as error:
            return AgentStatus(status="crashed", reason=f"nothing recorded for {task.id}: {error.problem}", version="1",
                               sandbox="not needed")
        _lay(recorded, task.workspace.folder)
        return AgentStatus(status="completed", reason=f"files {recorded.digest[:12]}", version="1",
                           seconds=time.monotonic() - started, sandbox="not needed")


def recorded_submission(task: AgentTask) -> Submission:
    """The recorded files of this task; raise `InputError` when there are none."""
    entry, source = task.category.entry, task.settings.options.get(OPTION)
    operator = task.id.partition("/")[2]
    if not source:
        return from_path(loader.operator_folders()[operator] / entry, entry)
    folder = Path(source) / task.category.name / operator
    if not folder.is_dir():
        trials = sorted(Path(source).glob(f"trials/*--{task.category.name}-{operator}--*/submission"))
        folder = trials[0] if trials else folder
    return from_path(folder, entry)


def _lay(recorded: Submission, folder: Path) -> None:
    try:
        for name, content in recorded.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise InfrastructureError(f"{folder}: {error}") from error


AGENT = Replay()
