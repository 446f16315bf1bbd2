"""Gemini CLI, headless, in the sandbox behind the gateway (Gemini API).

Written against 0.61.0: `gemini -o stream-json -p PROMPT`. Turns are limited by the gateway alone: how the program
would tell that its own limit ended it has not been seen. Requests that it makes beside the conversation, to smaller
models, count as turns too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Tokens

PROVIDER = cli.Provider(
    api="gemini", base_url="https://generativelanguage.googleapis.com", key_env="GEMINI_API_KEY", program="gemini",
    install="npm install -g @google/gemini-cli")

SETTINGS: Mapping[str, object] = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
}


class Gemini:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        cli.lay_home(task, ".gemini/settings.json", SETTINGS)
        environment = {"GEMINI_API_KEY": cli.PLACEHOLDER_KEY, "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:{port}",
                       "GEMINI_TELEMETRY_ENABLED": "false"}
        argv = ["-m", task.settings.model, "--approval-mode", "yolo", "--skip-trust", "-o", "stream-json",
                "-p", cli.PROMPT]
        return cli.solve(task, PROVIDER, argv, Parser(), environment)


class Parser:
    """Reads stream-json. Retries are told on standard error only; there is no cost."""

    def __init__(self) -> None:
        self._verdict = cli.Verdict(None)

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        match document.get("type"):
            case "init":
                return [Event(t=t, kind="start", name=str(document.get("model", "")),
                              session=str(document.get("session_id", "")))]
            case "message" if document.get("role") == "assistant":
                return [Event(t=t, kind="text", text=str(document["content"]))]
            case "tool_use":
                return [Event(t=t, kind="tool_call", id=str(document["tool_id"]), name=str(document["tool_name"]),
                              arguments=json.dumps(document.get("parameters", {})))]
            case "tool_result":
                failed = document.get("status") != "success"
                text = document.get("output", document.get("error", ""))
                return [Event(t=t, kind="tool_result", id=str(document["tool_id"]), exit_code=1 if failed else None,
                              text=text if isinstance(text, str) else json.dumps(text))]
            case "result":
                return self._result(document, t)
        return []

    def _result(self, document: Mapping[str, object], t: float) -> list[Event]:
        tokens = _tokens(document.get("stats"))
        error = document.get("error")
        said = str(error.get("message", "")) if isinstance(error, dict) else ""
        state: cli.State = "completed"
        if document.get("status") != "success":
            state = "api_error" if said.startswith("[API Error") else "crashed"
        self._verdict = cli.Verdict(state, said[:500], None, tokens)
        return [Event(t=t, kind="usage", tokens=tokens),
                Event(t=t, kind="end" if state == "completed" else "error", text=said)]


def _tokens(stats: object) -> Tokens:
    """`input` is what was not read from a cache, `input_tokens` all of it."""
    if not isinstance(stats, dict):
        return Tokens()
    return Tokens(input=stats.get("input"), cache_read=stats.get("cached"), output=stats.get("output_tokens"))


AGENT = Gemini()
