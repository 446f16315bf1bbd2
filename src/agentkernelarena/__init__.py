"""AgentKernelArena: measures how well AI coding agents optimise GPU kernels.

    import agentkernelarena as aka

    judgement = aka.evaluate("hip2hip/rmsnorm", "kernel.hip", target="cpu")
    result = aka.run("noop", "hip2hip/*", target="cpu", out="runs/noop")

Names are resolved on first use, so importing this package loads neither torch nor triton.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from agentkernelarena.errors import ArenaError, InfrastructureError, InputError
    from agentkernelarena.record import AgentSettings, Budget, RunRecord, RunSettings, TrialRecord
    from agentkernelarena.result import ConfigurationResult, Judgement, Outcome, Status
    from agentkernelarena.run.evaluate import evaluate
    from agentkernelarena.run.run import RunResult, resume, run, run_settings
    from agentkernelarena.task.loader import load_task, task_ids
    from agentkernelarena.task.task import Task

_HOMES = {
    "errors": ("ArenaError", "InfrastructureError", "InputError"),
    "record": ("AgentSettings", "Budget", "RunRecord", "RunSettings", "TrialRecord"),
    "result": ("ConfigurationResult", "Judgement", "Outcome", "Status"),
    "run.evaluate": ("evaluate",),
    "run.run": ("RunResult", "resume", "run_settings"),
    "task.loader": ("load_task", "task_ids"),
    "task.task": ("Task",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgentSettings", "ArenaError", "Budget", "ConfigurationResult", "InfrastructureError", "InputError", "Judgement",
    "Outcome", "RunRecord", "RunResult", "RunSettings", "Status", "Task", "TrialRecord", "evaluate", "load_task",
    "resume", "run", "run_settings", "task_ids",
]


def __getattr__(name: str) -> object:
    if name == "run":
        return importlib.import_module(f"{__name__}.run")  # callable: see there
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
