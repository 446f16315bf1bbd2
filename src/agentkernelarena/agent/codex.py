"""Codex, headless, in the sandbox behind the gateway (OpenAI Responses).

Written against 0.171.0: `codex exec --json`. It has no limit of turns of its own; the gateway counts them. Its own
sandbox is switched off, because it runs in ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Tokens

PROVIDER = cli.Provider(
    api="responses", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY", program="codex",
    install="npm install -g @openai/codex")

CONFIGURATION = (
    'model_provider="gateway"', 'model_providers.gateway.name="gateway"',
    'model_providers.gateway.base_url="http://127.0.0.1:{port}/v1"', 'model_providers.gateway.env_key="GATEWAY_KEY"',
    'model_providers.gateway.wire_api="responses"', "model_providers.gateway.request_max_retries=4",
    "model_providers.gateway.stream_max_retries=4", "model_providers.gateway.stream_idle_timeout_ms=300000",
    "check_for_update_on_startup=false", "analytics.enabled=false", 'history.persistence="none"',
    'web_search="disabled"',
)


class Codex:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        folder = task.engine.inside(task.workspace.spec(), task.workspace.folder)
        argv = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
                "-C", str(folder), "-m", task.settings.model]
        for setting in CONFIGURATION:
            argv += ["-c", setting]
        argv += ["--disable", "multi_agent", "--disable", "goals", cli.PROMPT]
        (task.workspace.home / ".codex").mkdir(exist_ok=True)
        environment = {"CODEX_HOME": f"{cli.home_inside(task)}/.codex", "GATEWAY_KEY": cli.PLACEHOLDER_KEY}
        return cli.solve(task, PROVIDER, argv, Parser(), environment)


class Parser:
    """Reads `exec --json`. Counts in `turn.completed` are cumulative over the thread, so the last one is the total.

    Items of type `error` are remarks (an unknown model's name is one), not failures; `turn.failed` is the failure.
    """

    def __init__(self) -> None:
        self._verdict = cli.Verdict(None)

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        kind, item = str(document.get("type")), document.get("item")
        if kind == "thread.started":
            return [Event(t=t, kind="start", session=str(document.get("thread_id", "")))]
        if kind in ("item.started", "item.completed") and isinstance(item, dict):
            return _item(item, kind == "item.completed", t)
        if kind == "turn.completed":
            tokens = _tokens(document.get("usage"))
            self._verdict = cli.Verdict("completed", "", None, tokens)
            return [Event(t=t, kind="usage", tokens=tokens), Event(t=t, kind="end")]
        if kind == "turn.failed":
            error = document.get("error")
            said = str(error.get("message", "")) if isinstance(error, dict) else str(error)
            self._verdict = cli.Verdict("api_error", said[:500], None, self._verdict.tokens)
            return [Event(t=t, kind="error", text=said)]
        if kind == "error":
            said = str(document.get("message", ""))
            return [Event(t=t, kind="retry" if said.startswith("Reconnecting") else "error", text=said)]
        return []


def _item(item: Mapping[str, object], completed: bool, t: float) -> list[Event]:
    name, identity = str(item.get("type")), str(item.get("id", ""))
    if name == "agent_message" and completed:
        return [Event(t=t, kind="text", id=identity, text=str(item["text"]))]
    if name == "reasoning" and completed:
        return [Event(t=t, kind="text", id=identity, name="reasoning", text=str(item["text"]))]
    if name == "command_execution":
        if not completed:
            arguments = json.dumps({"command": item["command"]})
            return [Event(t=t, kind="tool_call", id=identity, name="command", arguments=arguments)]
        code = item.get("exit_code")
        return [Event(t=t, kind="tool_result", id=identity, name="command", text=str(item["aggregated_output"]),
                      exit_code=code if isinstance(code, int) else None)]
    if name == "file_change" and completed:
        changes = json.dumps(item.get("changes", []))
        return [Event(t=t, kind="tool_call", id=identity, name="file_change", arguments=changes)]
    return []


def _tokens(usage: object) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    cached, written = usage.get("cached_input_tokens", 0), usage.get("cache_write_input_tokens", 0)
    return Tokens(input=usage["input_tokens"] - cached - written, cache_read=cached, cache_write=written,
                  output=usage["output_tokens"], reasoning=usage.get("reasoning_output_tokens"))


AGENT = Codex()
