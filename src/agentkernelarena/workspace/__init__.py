"""The workspace: the folder that an agent works in, with the task in words, the files, and the judge's counter."""

from __future__ import annotations

from agentkernelarena.workspace.broker import Broker, ToolAnswer, ToolJudge, ToolRequest
from agentkernelarena.workspace.turn import DeviceQueue
from agentkernelarena.workspace.workspace import AGENT_LIMITS, Workspace, prepare

__all__ = ["AGENT_LIMITS", "Broker", "DeviceQueue", "ToolAnswer", "ToolJudge", "ToolRequest", "Workspace", "prepare"]
