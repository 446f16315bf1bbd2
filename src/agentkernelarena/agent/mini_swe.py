"""mini-swe-agent, headless, in the sandbox behind the gateway (OpenAI Chat Completions).

Written against 2.4.6: `mini -y --exit-immediately`. It prints no events; its trajectory file is read when it has
ended, so the transcript's times are those that the file holds for tool results.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

from agentkernelarena.agent import AgentTask
from agentkernelarena.agent import _cli as cli
from agentkernelarena.record import AgentSettings, AgentStatus
from agentkernelarena.submission import read_plain
from agentkernelarena.transcript import Event, Tokens, Transcript

PROVIDER = cli.Provider(
    api="chat", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY", program="mini",
    install="pip install mini-swe-agent, in a virtual environment of its own; then name its `mini` in options.program")

TRAJECTORY = "trajectory.json"
TRAJECTORY_BYTES = 64 * 2**20
ENVIRONMENT = {
    "OPENAI_API_KEY": cli.PLACEHOLDER_KEY, "OPENAI_API_BASE": "http://127.0.0.1:{port}/v1", "MSWEA_CONFIGURED": "true",
    "MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_SILENT_STARTUP": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "4",
}


class MiniSwe:
    """See `agentkernelarena.agent.Agent`."""

    def preflight(self, settings: AgentSettings) -> None:
        cli.preflight(settings, PROVIDER)

    def solve(self, task: AgentTask) -> AgentStatus:
        home = cli.home_inside(task)
        argv = ["-y", "--exit-immediately", "-m", f"openai/{task.settings.model}", "-t", cli.PROMPT, "-c", "mini.yaml",
                "-l", "0", "-o", f"{home}/{TRAJECTORY}"]
        if task.budget.turns is not None:
            argv += ["-c", f"agent.step_limit={task.budget.turns}"]
        environment = {**ENVIRONMENT, "MSWEA_GLOBAL_CONFIG_DIR": f"{home}/.mini"}
        parser, began = Parser(), time.time()
        status = cli.solve(task, PROVIDER, argv, parser, environment)
        parser.read(task.workspace.home)
        with Transcript(task.trial) as transcript:
            for event in parser.events(began):
                transcript.add(event)
        return parser.refine(status)


class Parser:
    """Reads the trajectory file; standard output is decoration and goes to the log alone."""

    def __init__(self) -> None:
        self._document: Mapping[str, object] = {}

    def feed(self, line: bytes, t: float) -> list[Event]:
        return []

    def verdict(self) -> cli.Verdict:
        info = self._document.get("info")
        status = str(info.get("exit_status", "")) if isinstance(info, dict) else ""
        if not status:
            return cli.Verdict(None)
        # An answer that it could not use lies in the message with which it told the model so.
        counts = [t for t in map(_tokens, self._messages()) if t.output is not None]
        tokens = sum(counts, Tokens())
        state: cli.State = "crashed"
        if status == "Submitted":
            state = "completed"
        elif status in ("LimitsExceeded", "StepLimitExceeded", "CostLimitExceeded"):
            state = "limit"
        elif status.endswith(("Error", "Exception", "Timeout")):
            state = "api_error"
        last = self._messages()[-1:] or [{}]
        reason = "" if state == "completed" else f"{status}: {str(last[0].get('content', ''))[:400]}"
        return cli.Verdict(state, reason, len(counts), tokens if counts else None)

    def read(self, home: Path) -> None:
        """Read the file that the program left in its home."""
        content = read_plain(home, TRAJECTORY, TRAJECTORY_BYTES)
        try:
            document = json.loads(content) if isinstance(content, bytes) else {}
        except (ValueError, RecursionError):
            document = {}
        self._document = document if isinstance(document, dict) else {}

    def refine(self, status: AgentStatus) -> AgentStatus:
        """The status with what the file says, where the process's end and the gateway left that open."""
        verdict = self.verdict()
        if status.status not in ("crashed", "completed", "api_error") or verdict.state is None:
            return status
        usage = status.usage
        if usage.input_tokens is None and verdict.tokens is not None:
            usage = verdict.tokens.usage(verdict.turns, None)
        return status.model_copy(update={"status": verdict.state, "reason": verdict.reason, "usage": usage})

    def events(self, began: float) -> list[Event]:
        """The conversation as events; what has no time of its own takes the last one known."""
        events, t = [Event(t=0.0, kind="start")], 0.0
        for message in self._messages():
            extra = message.get("extra")
            extra = extra if isinstance(extra, dict) else {}
            stamp = extra.get("timestamp")
            t = max(t, round(stamp - began, 3)) if isinstance(stamp, (int, float)) else t
            events += _events(message, extra, t)
        return events

    def _messages(self) -> list[Mapping[str, object]]:
        messages = self._document.get("messages")
        return [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []


def _events(message: Mapping[str, object], extra: Mapping[str, object], t: float) -> list[Event]:
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        events = [Event(t=t, kind="text", text=content)] if isinstance(content, str) and content else []
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function", {})
            events.append(Event(t=t, kind="tool_call", id=str(call.get("id", "")), name=str(function.get("name", "")),
                                arguments=str(function.get("arguments", ""))))
        tokens = _tokens(message)
        return [*events, Event(t=t, kind="usage", tokens=tokens)] if tokens.output is not None else events
    if role == "tool":
        code = extra.get("returncode")
        return [Event(t=t, kind="tool_result", id=str(message.get("tool_call_id", "")),
                      text=str(extra.get("raw_output", content)), exit_code=code if isinstance(code, int) else None)]
    if role == "exit":
        return [Event(t=t, kind="end", text=str(extra.get("exit_status", "")))]
    return []


def _tokens(message: Mapping[str, object]) -> Tokens:
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, dict) else None
    usage = response.get("usage") if isinstance(response, dict) else None
    if not isinstance(usage, dict) or not isinstance(usage.get("prompt_tokens"), int):
        return Tokens()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    given, made = usage["prompt_tokens"], usage.get("completion_tokens")
    return Tokens(input=given - (cached or 0), cache_read=cached, output=made)


AGENT = MiniSwe()
