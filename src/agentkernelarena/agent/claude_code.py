"""Claude Code, headless, in the sandbox behind the gateway (Anthropic Messages).

Written against 2.1.197: `claude -p PROMPT --output-format stream-json --verbose`. Turns are limited by the program
and the gateway, tokens and cost by the gateway. Nothing of the caller's own configuration is read.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.transcript import Event, Tokens

PROVIDER = cli.Provider(
    api="anthropic", base_url="https://api.anthropic.com", key_env="ANTHROPIC_API_KEY", program="claude",
    install="npm install -g @anthropic-ai/claude-code")

QUIET = {
    "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "4",
}


class ClaudeCode:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        environment = {
            **QUIET, "ANTHROPIC_BASE_URL": "http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": cli.PLACEHOLDER_KEY,
            "CLAUDE_CONFIG_DIR": f"{cli.home_inside(task)}/.claude",
        }
        if not task.engine.has_namespace and os.geteuid() == 0:
            # It refuses to skip its questions as root; nobody is there to answer them.
            environment["IS_SANDBOX"] = "1"
        argv = [
            "-p", cli.PROMPT, "--model", task.settings.model, "--output-format", "stream-json", "--verbose",
            "--session-id", str(uuid.uuid4()), "--dangerously-skip-permissions", "--tools",
            "Bash,Read,Edit,Write,Glob,Grep", "--strict-mcp-config", "--setting-sources", "",
            "--disable-slash-commands",
        ]
        if task.budget.turns is not None:
            argv += ["--max-turns", str(task.budget.turns)]
        return cli.solve(task, PROVIDER, argv, Parser(), environment)


class Parser:
    """Reads stream-json. Counts come from the closing event's `modelUsage`.

    The `usage` of assistant events holds a placeholder and is repeated for every block of a message, the closing
    event's own misses turns that were repeated after a broken stream, and its cost for an unknown model is invented:
    none of the three is used.
    """

    def __init__(self) -> None:
        self._verdict = cli.Verdict(None)

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        kind, session = document.get("type"), str(document.get("session_id", ""))
        if kind == "system" and document.get("subtype") == "init":
            return [Event(t=t, kind="start", name=str(document.get("model", "")), session=session)]
        if kind == "system" and document.get("subtype") == "api_retry":
            told = f"{document.get('error_status')} {document.get('error')}, attempt {document.get('attempt')}"
            return [Event(t=t, kind="retry", text=told)]
        if kind in ("assistant", "user"):
            message = document.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            blocks = content if isinstance(content, list) else []
            return [event for block in blocks if isinstance(block, dict) for event in block_events(block, t)]
        if kind == "result":
            return self._result(document, t)
        return []

    def _result(self, document: Mapping[str, object], t: float) -> list[Event]:
        tokens = _tokens(document.get("modelUsage"))
        turns, subtype = document.get("num_turns"), str(document.get("subtype", ""))
        errors = document.get("errors")
        listed = ", ".join(map(str, errors)) if isinstance(errors, list) else ""
        said = str(document.get("result") or listed or subtype)
        state: cli.State = "completed"
        if subtype in ("error_max_turns", "error_max_budget_usd"):
            state = "limit"
        elif document.get("is_error"):
            # An answer of 401 comes as subtype "success": only is_error tells.
            state = "api_error" if document.get("api_error_status") else "crashed"
        self._verdict = cli.Verdict(state, said[:500] if state != "completed" else "",
                                    turns if isinstance(turns, int) else None, tokens)
        return [Event(t=t, kind="usage", tokens=tokens),
                Event(t=t, kind="end" if state == "completed" else "error", text=said)]


def block_events(block: Mapping[str, object], t: float) -> list[Event]:
    """The event of one block of a message."""
    match block.get("type"):
        case "text":
            return [Event(t=t, kind="text", text=str(block["text"]))]
        case "tool_use":
            return [Event(t=t, kind="tool_call", id=str(block["id"]), name=str(block["name"]),
                          arguments=json.dumps(block.get("input", {})))]
        case "tool_result":
            content = block.get("content")
            text = content if isinstance(content, str) else json.dumps(content)
            return [Event(t=t, kind="tool_result", id=str(block["tool_use_id"]), text=text,
                          exit_code=1 if block.get("is_error") else None)]
    return []


def _tokens(usage: object) -> Tokens:
    total = Tokens()
    for one in usage.values() if isinstance(usage, dict) else ():
        total = total + Tokens(
            input=one.get("inputTokens"), output=one.get("outputTokens"), cache_read=one.get("cacheReadInputTokens"),
            cache_write=one.get("cacheCreationInputTokens"))
    return total


AGENT = ClaudeCode()
