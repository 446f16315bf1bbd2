"""Cursor's agent, headless, in the sandbox, with a login of its own: it talks to its maker only, past the gateway.

Written after its documentation; the program is on no registry and was not run. It has the network and its key is in
the sandbox with it, because no other way leads to its models; the record says so. Its tokens cannot be counted: a
budget of tokens or cost is refused instead of ignored. Turns are counted as calls of tools.

options `program`, `key_env` (default CURSOR_API_KEY), `arguments`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.agent._program import Stop, run_program, status_of, tail
from agentkernelarena.record import AgentSettings, AgentStatus, Usage
from agentkernelarena.transcript import Event, Transcript

PROVIDER = cli.Provider(
    api=None, base_url="", key_env="CURSOR_API_KEY", program="cursor-agent",
    install="install Cursor's command-line agent as its maker says, then name it in options.program")
OPTIONS = ("program", "key_env", "arguments")
DIRECT = "network open, its own login, no gateway"


class Cursor:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER, OPTIONS)

    def solve(self, task: AgentTask) -> AgentStatus:
        if task.budget.tokens is not None or task.budget.cost_usd is not None:
            return AgentStatus(status="not_started", reason="a budget of tokens or cost cannot be kept with cursor, "
                               "whose requests nobody can count: limit wall time and turns instead")
        program, key = cli.find_program(task.settings, PROVIDER), cli.key(task.settings, PROVIDER)
        argv = [str(program), "-p", "--output-format", "stream-json", "--force", "--model", task.settings.model,
                *shlex.split(task.settings.options.get("arguments", "")), cli.PROMPT]
        version, parser, stop = cli.version_of(task, program), Parser(), Stop()
        with Transcript(task.trial) as transcript:
            def on_line(line: bytes) -> None:
                for event in parser.feed(line.replace(key.encode(), b"[key]"), transcript.now()):
                    transcript.add(event)
                if task.budget.turns is not None and parser.turns > task.budget.turns:
                    stop(f"{task.budget.turns} turns are used up")

            ended = run_program(task, argv, environment={"CURSOR_API_KEY": key}, network=True, on_line=on_line,
                                read_only=cli.program_binds(program), stop=stop)
        log = task.trial / "agent.log"
        log.write_bytes(log.read_bytes().replace(key.encode(), b"[key]"))
        status, verdict = status_of(task, ended, version), parser.verdict()
        changed: dict[str, object] = {"usage": Usage(turns=parser.turns), "sandbox": f"{status.sandbox}; {DIRECT}"}
        if status.status in ("completed", "crashed"):
            silent = f"it ended (exit status {ended.exit_code}) without saying how: {tail(log, 300)}"
            changed |= {"status": verdict.state or "crashed", "reason": verdict.reason if verdict.state else silent}
        return status.model_copy(update=changed)


class Parser:
    """Reads stream-json: a closing event comes with success alone. turns: calls of tools so far."""

    def __init__(self) -> None:
        self._verdict, self.turns = cli.Verdict(None), 0

    def verdict(self) -> cli.Verdict:
        return self._verdict

    def feed(self, line: bytes, t: float) -> list[Event]:
        return cli.events_of(line, t, self._events)

    def _events(self, document: Mapping[str, object], t: float) -> list[Event]:
        kind, subtype = document.get("type"), document.get("subtype")
        if kind == "system" and subtype == "init":
            return [Event(t=t, kind="start", name=str(document.get("model", "")),
                          session=str(document.get("session_id", "")))]
        if kind == "assistant":
            message = document["message"]
            content = message.get("content") if isinstance(message, dict) else None
            parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
            return [Event(t=t, kind="text", text=str(p["text"])) for p in parts if p.get("type") == "text"]
        if kind == "tool_call":
            return self._tool(document, subtype == "completed", t)
        if kind == "result":
            failed = bool(document.get("is_error")) or subtype != "success"
            said = str(document.get("result", ""))
            self._verdict = cli.Verdict("crashed" if failed else "completed", said[:500] if failed else "", self.turns)
            return [Event(t=t, kind="error" if failed else "end", text=said)]
        return []

    def _tool(self, document: Mapping[str, object], completed: bool, t: float) -> list[Event]:
        """One key of `tool_call` names the tool, such as shellToolCall, and holds its arguments and its result."""
        calls = document["tool_call"]
        if not isinstance(calls, dict):
            return []
        name, call = next(((k, v) for k, v in calls.items() if isinstance(v, dict)), ("", {}))
        identity, name = str(document.get("call_id", "")), name.removesuffix("ToolCall")
        if not completed:
            self.turns += 1
            return [Event(t=t, kind="tool_call", id=identity, name=name, arguments=json.dumps(call.get("args", {})))]
        result = call.get("result")
        table = result if isinstance(result, dict) else {}
        good = table.get("success")
        code = good.get("exitCode") if isinstance(good, dict) else 1
        return [Event(t=t, kind="tool_result", id=identity, name=name, text=json.dumps(good if good else result),
                      exit_code=code if isinstance(code, int) else None)]


AGENT = Cursor()
