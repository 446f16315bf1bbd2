"""Qwen Code, headless, in the sandbox behind the gateway (OpenAI Chat Completions).

Written against 0.15.10: `qwen --output-format stream-json PROMPT`. Turns are limited by the gateway.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.agent.claude_code import block_events
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Tokens

PROVIDER = cli.Provider(
    api="chat", base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1", key_env="DASHSCOPE_API_KEY",
    program="qwen", install="npm install -g @qwen-code/qwen-code")

SETTINGS: Mapping[str, object] = {
    "general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
API_ERROR = "[API Error"


class Qwen:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        cli.lay_home(task, ".qwen/settings.json", SETTINGS)
        environment = {"OPENAI_API_KEY": cli.PLACEHOLDER_KEY, "OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1",
                       "OPENAI_MODEL": task.settings.model}
        argv = ["--auth-type", "openai", "--approval-mode", "yolo", "--output-format", "stream-json", cli.PROMPT]
        return cli.solve(task, PROVIDER, argv, Parser(), environment)


class Parser:
    """Reads stream-json, which resembles Claude Code's and differs where it matters.

    A failed request, and a broken stream, end the run as subtype "success" without is_error and with exit status 0:
    only the words of the result tell. Input tokens include those from a cache. Counts are cumulative over a resumed
    session. There is no cost.
    """

    def __init__(self) -> None:
        self._verdict = cli.Verdict(None)

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        kind = document.get("type")
        if kind == "system" and document.get("subtype") == "init":
            return [Event(t=t, kind="start", name=str(document.get("model", "")),
                          session=str(document.get("session_id", "")))]
        if kind in ("assistant", "user"):
            message = document.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            blocks = content if isinstance(content, list) else []
            return [event for block in blocks if isinstance(block, dict) for event in block_events(block, t)]
        if kind == "result":
            return self._result(document, t)
        return []

    def _result(self, document: Mapping[str, object], t: float) -> list[Event]:
        tokens, turns = _tokens(document.get("usage")), document.get("num_turns")
        said = str(document.get("result") or document.get("error") or document.get("subtype") or "")
        state: cli.State = "completed"
        if said.startswith(API_ERROR):
            state = "api_error"
        elif document.get("is_error") or document.get("subtype") != "success":
            state = "crashed"
        self._verdict = cli.Verdict(state, said[:500] if state != "completed" else "",
                                    turns if isinstance(turns, int) else None, tokens)
        return [Event(t=t, kind="usage", tokens=tokens),
                Event(t=t, kind="end" if state == "completed" else "error", text=said)]


def _tokens(usage: object) -> Tokens:
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return Tokens()
    cached = usage.get("cache_read_input_tokens")
    return Tokens(input=usage["input_tokens"] - (cached or 0), cache_read=cached, output=usage.get("output_tokens"))


AGENT = Qwen()
