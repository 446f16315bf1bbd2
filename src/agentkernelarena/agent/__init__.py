"""Agents: one file each; the file's name is the agent's name, and it assigns `AGENT`.

An agent gets a workspace and leaves its work in it. It never sees the judge; what it hands in is whatever the
workspace holds when it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentkernelarena import plugin
from agentkernelarena.record import AgentSettings, AgentStatus, Budget
from agentkernelarena.sandbox import Engine, Limits
from agentkernelarena.task.category import Category
from agentkernelarena.workspace import AGENT_LIMITS, Workspace

__all__ = ["Agent", "AgentTask", "load"]


@dataclass(frozen=True)
class AgentTask:
    """One agent's part of a trial.

    workspace: the prepared folder. engine: the sandbox that every program of the agent runs in. trial: where its
    logs and its transcript go. environment: more variables for its programs. devices: device nodes that its programs
    may open (none unless the run says so). limits: what all its programs together may use.
    """

    workspace: Workspace
    settings: AgentSettings
    budget: Budget
    engine: Engine
    trial: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[Path, ...] = ()
    limits: Limits = AGENT_LIMITS

    @property
    def id(self) -> str:
        """The task's id."""
        return self.workspace.task_id

    @property
    def category(self) -> Category:
        return self.workspace.category


class Agent(Protocol):
    """A contender."""

    def preflight(self, settings: AgentSettings) -> None:
        """Find out before the run what would stop it: not installed, not logged in, a setting that it does not know.

        Raises:
            InputError: says what is wrong and the remedy.
        """
        ...

    def solve(self, task: AgentTask) -> AgentStatus:
        """Work on the task until done or out of budget. Nothing that it started is left when this returns.

        What goes wrong with the agent is in the status; exceptions are faults of the harness.
        """
        ...


def load(name: str) -> Agent:
    """The agent called `name`; raise `InputError` naming the known ones when there is none."""
    agent: Agent = plugin.load("agent", name).AGENT
    return agent
