"""Changes nothing: hands in what it was given. The control whose speedup has to be 1."""

from __future__ import annotations

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._program import check_settings
from agentkernelarena.record import AgentSettings, AgentStatus


class Noop:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        check_settings(settings)

    def solve(self, task: AgentTask) -> AgentStatus:
        return AgentStatus(status="completed", reason="nothing was done, as asked", version="1", sandbox="not needed")


AGENT = Noop()
