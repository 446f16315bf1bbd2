"""opencode, headless, in the sandbox behind the gateway (OpenAI Chat Completions).

Written against 1.18.33: `opencode run --format json PROMPT`. Turns are limited by the gateway, which counts the
request for a title of the session too. Its configuration comes by OPENCODE_CONFIG_CONTENT, because the gateway's port
is known only when it starts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Tokens

PROVIDER = cli.Provider(
    api="chat", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY", program="opencode",
    install="npm install -g opencode-ai")

QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}
CONTEXT_TOKENS, OUTPUT_TOKENS = 200_000, 32_000
"""What it assumes of a model that it does not know; it compacts its conversation by them."""


class Opencode:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        home = cli.home_inside(task)
        folders = {f"XDG_{name}_HOME": f"{home}/.opencode/{name.lower()}"
                   for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        environment = {**QUIET, **folders, "OPENCODE_CONFIG_CONTENT": json.dumps(configuration(task.settings.model))}
        folder = task.engine.inside(task.workspace.spec(), task.workspace.folder)
        argv = ["run", "--pure", "--format", "json", "--auto", "-m", f"gateway/{task.settings.model}",
                "--dir", str(folder), cli.PROMPT]
        return cli.solve(task, PROVIDER, argv, Parser(), environment)


def configuration(model: str) -> Mapping[str, object]:
    """Its configuration: one provider, the gateway, with one model."""
    return {
        "autoupdate": False, "share": "disabled", "permission": "allow", "enabled_providers": ["gateway"],
        "model": f"gateway/{model}", "small_model": f"gateway/{model}",
        "provider": {"gateway": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": "http://127.0.0.1:{port}/v1", "apiKey": cli.PLACEHOLDER_KEY},
            "models": {model: {"limit": {"context": CONTEXT_TOKENS, "output": OUTPUT_TOKENS}}},
        }},
    }


class Parser:
    """Reads `--format json`. There is no closing event: a step that finishes with "stop" is the end.

    Counts are per step and are summed; input excludes what came from a cache. Cost follows from prices in its
    configuration, of which we give none, and is not used.
    """

    def __init__(self) -> None:
        self._verdict, self._tokens, self._turns, self._started = cli.Verdict(None), Tokens(), 0, False

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        kind, part = document.get("type"), document.get("part")
        if kind == "error":
            return self._error(document.get("error"), t)
        if not isinstance(part, dict):
            return []
        if kind == "step_start":
            # Another step follows: whatever ended before was not the end.
            self._verdict = cli.Verdict(None, "", self._turns, self._tokens)
            first, self._started = not self._started, True
            return [Event(t=t, kind="start", session=str(document.get("sessionID", "")))] if first else []
        if kind == "text":
            return [Event(t=t, kind="text", text=str(part["text"]))]
        if kind == "tool_use":
            return _tool(part, t)
        if kind == "step_finish":
            return self._finish(part, t)
        return []

    def _finish(self, part: Mapping[str, object], t: float) -> list[Event]:
        tokens = _tokens(part.get("tokens"))
        self._tokens, self._turns = self._tokens + tokens, self._turns + 1
        reason = str(part.get("reason"))
        self._verdict = cli.Verdict(None, "", self._turns, self._tokens)
        events = [Event(t=t, kind="usage", tokens=tokens)]
        if reason == "stop":
            self._verdict = cli.Verdict("completed", "", self._turns, self._tokens)
            events.append(Event(t=t, kind="end"))
        elif reason != "tool-calls":
            self._verdict = cli.Verdict("crashed", f"the last step ended with {reason}", self._turns, self._tokens)
        return events

    def _error(self, error: object, t: float) -> list[Event]:
        data = error.get("data") if isinstance(error, dict) else None
        table = data if isinstance(data, dict) else {}
        name = str(error.get("name", "error")) if isinstance(error, dict) else "error"
        said = f"{table.get('statusCode', '')} {name}: {table.get('message', '')}".strip()
        state: cli.State = "api_error" if name == "APIError" or "statusCode" in table else "crashed"
        self._verdict = cli.Verdict(state, said[:500], self._turns, self._tokens)
        return [Event(t=t, kind="error", text=said)]


def _tool(part: Mapping[str, object], t: float) -> list[Event]:
    """A call and its result come in one event, when it has ended."""
    state = part["state"]
    if not isinstance(state, dict):
        return []
    identity, name = str(part["callID"]), str(part["tool"])
    metadata = state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    if not isinstance(code, int):
        code = 1 if state.get("status") == "error" else None
    return [Event(t=t, kind="tool_call", id=identity, name=name, arguments=json.dumps(state.get("input", {}))),
            Event(t=t, kind="tool_result", id=identity, name=name, exit_code=code,
                  text=str(state.get("output", state.get("error", ""))))]


def _tokens(tokens: object) -> Tokens:
    if not isinstance(tokens, dict):
        return Tokens()
    cache = tokens.get("cache")
    table = cache if isinstance(cache, dict) else {}
    return Tokens(input=tokens.get("input"), cache_read=table.get("read"), cache_write=table.get("write"),
                  output=tokens.get("output"), reasoning=tokens.get("reasoning"))


AGENT = Opencode()
