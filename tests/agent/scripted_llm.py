"""A model that says what a script tells it, behind four real APIs: for driving real agents without a model.

Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, streamed and whole. The next turn follows
from the conversation in the request, not from the server's memory, so retries, side requests and parallel agents need
no state.

    with ScriptedLlm([Turn(shell="ls"), Turn(write=("a.py", "x = 1")), Turn(text="done")]) as llm:
        ... llm.url, llm.requests
"""

from __future__ import annotations

import http.server
import json
import re
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

SHELLS = ("Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command")


@dataclass(frozen=True)
class Turn:
    """One turn of the model: a shell command, a file to write (through the shell), or a closing text.

    say: words before the call. fault: an HTTP status that the first `times` requests of this turn get instead, or
    "cut" to break the stream off. delay_s: silence before the answer.
    """

    shell: str = ""
    write: tuple[str, str] | None = None
    text: str = ""
    say: str = ""
    fault: int | str = ""
    times: int = 1
    delay_s: float = 0.0

    @property
    def command(self) -> str:
        if self.write:
            return f"cat > '{self.write[0]}' <<'SCRIPT_END'\n{self.write[1].rstrip()}\nSCRIPT_END"
        return self.shell


@dataclass
class ScriptedLlm:
    """The server. usage of every turn: 1000 input tokens, 200 more from a cache, 50 output.

    plain: requests without tools are the conversation; otherwise they are side requests and get a plain word.
    """

    turns: list[Turn]
    key: str = "the-real-key"
    plain: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[int, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> ScriptedLlm:
        handler = type("Handler", (_Handler,), {"llm": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def next(self, history: list[tuple[bool, str]]) -> int:
        """Index of the next turn; history: of each assistant message, whether it called a tool, and its text."""
        index = 0
        for called, text in history:
            turn = self.turns[min(index, len(self.turns) - 1)]
            index += called if turn.command else (not called and text.strip() == turn.text)
        return min(index, len(self.turns) - 1)


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    llm: ScriptedLlm
    cut = False

    def log_message(self, *_: object) -> None:
        """Silent."""

    def do_HEAD(self) -> None:
        self._whole({})

    def do_GET(self) -> None:
        self._whole({"object": "list", "data": [{"id": "scripted", "object": "model", "type": "model"}], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        key = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or self.headers.get(
            "Authorization", "").removeprefix("Bearer ")
        with self.llm.lock:
            self.llm.requests.append({"path": path, "key": key, "body": body, "headers": dict(self.headers)})
        if key != self.llm.key:
            self._error(401, f"Incorrect key provided: {key}")
            return
        answer = {"/v1/messages": self._anthropic, "/v1/responses": self._responses,
                  "/v1/chat/completions": self._chat}.get(path)
        if match := re.fullmatch(r"/v1beta/models/([\w.-]+):(streamGenerateContent|generateContent)", path):
            answer, body = self._gemini, {**body, "model": match[1], "stream": match[2].startswith("stream")}
        if answer is None:
            self._error(404, "no such path")
            return
        try:
            answer(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _whole(self, document: Any, status: int = 200) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.cut:
            self.wfile.write(data[:len(data) // 2])
            self.close_connection = True
        elif self.command != "HEAD":
            self.wfile.write(data)

    def _error(self, status: int, message: str) -> None:
        kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        self._whole({"type": "error", "error": {"type": kind, "message": message}}, status)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, data: Any, name: str = "") -> None:
        text = (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text.encode()), text.encode()))
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _break(self) -> None:
        """Break the stream off here when the script says so."""
        if self.cut:
            self.close_connection = True
            self.connection.shutdown(2)
            raise BrokenPipeError

    def _turn(self, history: list[tuple[bool, str]], tools: set[str]) -> Turn | None:
        """The turn to play; None when a fault was answered."""
        if not tools and not self.llm.plain:
            return Turn(text="a side answer")
        index = self.llm.next(history)
        turn = self.llm.turns[index]
        time.sleep(turn.delay_s)
        self.cut = False
        if turn.fault:
            with self.llm.lock:
                self.llm.faults[index] = count = self.llm.faults.get(index, 0) + 1
            if count <= turn.times:
                if turn.fault != "cut":
                    self._error(int(turn.fault), "a scripted fault")
                    return None
                self.cut = True
        return turn

    def _shell(self, tools: dict[str, Any]) -> tuple[str, str]:
        """(tool, its argument for a command line) of the shell that the client offers."""
        name = next(n for n in SHELLS if n in tools)
        return name, "cmd" if "cmd" in (tools[name] or {}).get("properties", {}) else "command"

    def _anthropic(self, body: dict[str, Any]) -> None:
        tools = {t["name"]: t.get("input_schema") for t in body.get("tools") or []}
        history = [(isinstance(m["content"], list) and any(c.get("type") == "tool_use" for c in m["content"]),
                    _text(m["content"])) for m in body["messages"] if m["role"] == "assistant"]
        turn = self._turn(history, set(tools))
        if turn is None:
            return
        said = turn.say or turn.text
        blocks: list[dict[str, Any]] = [{"type": "text", "text": said}] if said else []
        if turn.command:
            name, argument = self._shell(tools)
            blocks.append({"type": "tool_use", "id": _id("toolu_"), "name": name, "input": {argument: turn.command}})
        usage = {"input_tokens": 1000, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 0,
                 "output_tokens": 50}
        stop = "tool_use" if turn.command else "end_turn"
        message = {"id": _id("msg_"), "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
                   "stop_reason": stop, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            self._whole(message)
            return
        self._begin()
        start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
        self._event({"type": "message_start", "message": start}, "message_start")
        for index, block in enumerate(blocks):
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block.get("text", "")}
            if block["type"] == "tool_use":
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            self._event({"type": "content_block_start", "index": index, "content_block": empty}, "content_block_start")
            self._break()
            self._event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            self._event({"type": "content_block_stop", "index": index}, "content_block_stop")
        self._event({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                     "usage": {"output_tokens": 50}}, "message_delta")
        self._event({"type": "message_stop"}, "message_stop")
        self._end()

    def _responses(self, body: dict[str, Any]) -> None:
        tools = {str(t.get("name") or t.get("type")): t.get("parameters") for t in body.get("tools") or []}
        history = []
        for item in body.get("input") or []:
            if item.get("type") in ("function_call", "custom_tool_call"):
                history.append((True, ""))
            elif item.get("type", "message") == "message" and item.get("role") == "assistant":
                history.append((False, _text(item.get("content"))))
        turn = self._turn(history, set(tools))
        if turn is None:
            return
        items: list[dict[str, Any]] = []
        if turn.say or turn.text:
            part = {"type": "output_text", "text": turn.say or turn.text, "annotations": []}
            items.append({"id": _id("msg_"), "type": "message", "role": "assistant", "status": "completed",
                          "content": [part]})
        if turn.command:
            name, argument = self._shell(tools)
            items.append({"id": _id("fc_"), "type": "function_call", "status": "completed", "call_id": _id("call_"),
                          "name": name, "arguments": json.dumps({argument: turn.command})})
        usage = {"input_tokens": 1200, "input_tokens_details": {"cached_tokens": 200}, "output_tokens": 50,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1250}
        response = {"id": _id("resp_"), "object": "response", "created_at": 0, "model": body["model"], "output": items,
                    "status": "completed", "usage": usage}
        if not body.get("stream"):
            self._whole(response)
            return
        self._begin()
        self._event({"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
                    "response.created")
        self._break()
        for index, item in enumerate(items):
            for kind in ("added", "done"):
                name = f"response.output_item.{kind}"
                self._event({"type": name, "output_index": index, "item": item}, name)
        self._event({"type": "response.completed", "response": response}, "response.completed")
        self._end()

    def _chat(self, body: dict[str, Any]) -> None:
        tools = {t["function"]["name"]: t["function"].get("parameters") for t in body.get("tools") or []}
        history = [(bool(m.get("tool_calls")), _text(m.get("content"))) for m in body["messages"]
                   if m["role"] == "assistant"]
        turn = self._turn(history, set(tools))
        if turn is None:
            return
        message: dict[str, Any] = {"role": "assistant", "content": turn.say or turn.text or None}
        if turn.command:
            name, argument = self._shell(tools)
            call = {"name": name, "arguments": json.dumps({argument: turn.command})}
            message["tool_calls"] = [{"index": 0, "id": _id("call_"), "type": "function", "function": call}]
        usage = {"prompt_tokens": 1200, "completion_tokens": 50, "total_tokens": 1250,
                 "prompt_tokens_details": {"cached_tokens": 200}}
        finish = "tool_calls" if turn.command else "stop"
        base = {"id": _id("chatcmpl-"), "created": 0, "model": body["model"]}
        if not body.get("stream"):
            self._whole({**base, "object": "chat.completion", "usage": usage,
                         "choices": [{"index": 0, "message": message, "finish_reason": finish}]})
            return
        self._begin()
        chunk = {**base, "object": "chat.completion.chunk"}
        self._event({**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]})
        self._break()
        self._event({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            self._event({**chunk, "choices": [], "usage": usage})
        self._event("[DONE]")
        self._end()

    def _gemini(self, body: dict[str, Any]) -> None:
        tools = {f["name"]: f.get("parametersJsonSchema") or f.get("parameters") for t in body.get("tools") or []
                 for f in t.get("functionDeclarations", [])}
        history = [(any("functionCall" in p for p in c.get("parts", [])), _text(c.get("parts")))
                   for c in body.get("contents", []) if c.get("role") == "model"]
        turn = self._turn(history, set(tools))
        if turn is None:
            return
        parts: list[dict[str, Any]] = [{"text": turn.say or turn.text}] if turn.say or turn.text else []
        if turn.command:
            name, argument = self._shell(tools)
            parts.append({"functionCall": {"name": name, "args": {argument: turn.command}}})
        usage = {"promptTokenCount": 1200, "cachedContentTokenCount": 200, "candidatesTokenCount": 40,
                 "thoughtsTokenCount": 10, "totalTokenCount": 1250}
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        answer = {"candidates": [candidate], "modelVersion": body["model"], "usageMetadata": usage}
        if not body["stream"]:
            self._whole(answer)
            return
        self._begin()
        self._break()
        self._event(answer)
        self._end()
