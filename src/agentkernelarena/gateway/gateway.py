"""The host's end: a small HTTP proxy on a unix socket that knows four APIs, one key and one budget."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import os
import re
import socketserver
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentkernelarena.gateway.meter import Meter
from agentkernelarena.record import Budget, Usage
from agentkernelarena.transcript import Tokens

Api = Literal["anthropic", "responses", "chat", "gemini"]

SOCKET = "llm.sock"
MAXIMUM_BODY_BYTES = 64 * 2**20
UPSTREAM_TIMEOUT_S = 600.0

_GEMINI = r"/v1(?:beta)?/models/[\w.-]+"
_MODEL_PATHS: dict[str, str] = {
    "anthropic": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions",
    "gemini": _GEMINI + ":(?:streamGenerateContent|generateContent)",
}
_FREE_PATHS: dict[str, str] = {
    "anthropic": "POST /v1/messages/count_tokens|GET /v1/models", "responses": "GET /v1/models",
    "chat": "GET /v1/models", "gemini": f"POST {_GEMINI}:countTokens|GET /v1(?:beta)?/models",
}
_KEY_HEADERS: dict[str, tuple[str, str]] = {"anthropic": ("x-api-key", "{}"), "gemini": ("x-goog-api-key", "{}")}
_OURS = frozenset({
    "host", "authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization", "connection",
    "content-length", "transfer-encoding", "accept-encoding", "expect", "upgrade", "te", "keep-alive",
})
_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive", "set-cookie", "date", "server"})


@dataclass(frozen=True)
class Upstream:
    """A model provider. base_url: with or without a closing /v1. key: never logged, never in the sandbox."""

    api: Api
    base_url: str
    key: str

    def __repr__(self) -> str:
        return f"Upstream({self.api}, {self.base_url})"


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float = 0.0
    cache_write: float = 0.0

    def cost_usd(self, tokens: Tokens) -> float:
        parts = ((tokens.input, self.input), (tokens.output, self.output), (tokens.cache_read, self.cache_read),
                 (tokens.cache_write, self.cache_write))
        return sum((count or 0) * price for count, price in parts) / 1e6


class Gateway:
    """One agent's gateway. Used as a context; `usage` is what went through."""

    def __init__(self, upstream: Upstream, folder: Path, budget: Budget, log: Path, prices: Prices | None = None,
                 on_limit: Callable[[str], None] = lambda reason: None) -> None:
        self.upstream, self.prices = upstream, prices
        self._folder, self._budget, self._log, self._on_limit = folder, budget, log, on_limit
        self._lock, self._started = threading.Lock(), time.monotonic()
        self._requests, self._tokens = 0, Tokens()
        self._server: _Server | None = None
        self.errors: list[str] = []
        """What the provider answered instead of a model's words, in order: such as ``401 authentication_error``."""

    @property
    def usage(self) -> Usage:
        """Requests to the model as turns, and their tokens; None for what the provider did not tell."""
        with self._lock:
            cost = self.prices.cost_usd(self._tokens) if self.prices else None
            return self._tokens.usage(self._requests, cost)

    def __enter__(self) -> Gateway:
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._server = _Server(f"/proc/self/fd/{folder}/{SOCKET}", self)
        finally:
            os.close(folder)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="gateway",
                         daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        (self._folder / SOCKET).unlink(missing_ok=True)

    def spent(self) -> str:
        """Which budget is used up, or ""."""
        budget, usage = self._budget, self.usage
        if budget.turns is not None and (usage.turns or 0) >= budget.turns:
            return f"{budget.turns} turns are used up"
        if budget.tokens is not None and self._tokens.total >= budget.tokens:
            return f"{budget.tokens} tokens are used up"
        if budget.cost_usd is not None and usage.cost_usd is not None and usage.cost_usd >= budget.cost_usd:
            return f"{budget.cost_usd:g} US dollars are used up"
        return ""

    def admit(self) -> str:
        """Count one request to the model; the reason when there is no budget for it."""
        reason = self.spent()
        if reason:
            self._on_limit(reason)
            return reason
        with self._lock:
            self._requests += 1
        return ""

    def settle(self, path: str, status: int, seconds: float, tokens: Tokens | None, error: str) -> None:
        """Write down one request; neither bodies nor headers, so no key and no prompt."""
        with self._lock:
            if tokens is not None:
                self._tokens = self._tokens + tokens
            if error:
                self.errors.append(f"{status} {error}"[:300])
                # An attempt that the provider refused was no turn of the model's; a broken stream may have been one.
                self._requests -= status >= 400
            entry = {"t": round(time.monotonic() - self._started, 3), "path": path, "status": status,
                     "seconds": round(seconds, 3), "tokens": tokens.model_dump() if tokens else None,
                     "error": error[:300]}
            with open(self._log, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, gateway: Gateway) -> None:
        self.gateway = gateway
        super().__init__(path, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle concerns nobody."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: _Server

    def address_string(self) -> str:
        return "sandbox"

    def log_message(self, format: str, *args: object) -> None:
        """Requests are logged by the gateway, without what they hold."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self._pass("GET")

    def do_POST(self) -> None:
        self._pass("POST")

    def _pass(self, method: str) -> None:
        gateway = self.server.gateway
        api = gateway.upstream.api
        path = urllib.parse.urlsplit(self.path).path
        body = self._body()
        if body is None:
            self._refuse(413, "request_too_large", "the request is too large")
            return
        asks_model = method == "POST" and re.fullmatch(_MODEL_PATHS[api], path) is not None
        if not asks_model and not re.fullmatch(_FREE_PATHS[api], f"{method} {path}"):
            self._refuse(403, "permission_error", f"{method} {path} is not allowed here")
        elif asks_model and (reason := gateway.admit()):
            self._refuse(403, "budget_exhausted", reason)
        else:
            self._forward(method, body, asks_model)

    def _body(self) -> bytes | None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b"".join(self._chunks())
            return data if len(data) <= MAXIMUM_BODY_BYTES else None
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MAXIMUM_BODY_BYTES:
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _chunks(self) -> Iterator[bytes]:
        total = 0
        while True:
            size = int(self.rfile.readline(100).split(b";")[0].strip() or b"0", 16)
            total += size
            if size == 0 or total > MAXIMUM_BODY_BYTES:
                self.close_connection = self.close_connection or size != 0
                self.rfile.readline(100)
                yield b"\0" * (MAXIMUM_BODY_BYTES + 1) if size else b""
                return
            yield self.rfile.read(size)
            self.rfile.readline(100)

    def _refuse(self, status: int, kind: str, message: str) -> None:
        document = json.dumps({"type": "error", "error": {"type": kind, "code": kind, "message": message}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(document)))
        self.end_headers()
        self.wfile.write(document)

    def _forward(self, method: str, body: bytes, counted: bool) -> None:
        gateway, started = self.server.gateway, time.monotonic()
        upstream, path = gateway.upstream, urllib.parse.urlsplit(self.path).path
        status, error, meter, settled = 502, "", None, False

        def settle() -> None:
            if counted:
                gateway.settle(path, status, time.monotonic() - started, meter.tokens if meter else None, error)

        try:
            connection, prefix = _connect(upstream)
            with contextlib.closing(connection):
                connection.request(method, prefix + self.path, body, self._headers(upstream, len(body)))
                answer = connection.getresponse()
                status = answer.status
                meter = Meter(upstream.api, "event-stream" in answer.headers.get("Content-Type", ""))
                error = self._answer(answer, meter)
                # Before the last byte: the agent's next request has to find this one counted.
                settle()
                settled = True
                self.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException) as failure:
            error = f"{type(failure).__name__}: {failure}"
            if not settled:
                settle()
            if meter is None:
                self._refuse(502, "api_error", "the model's provider cannot be reached")
            else:
                # The answer has begun: a broken connection is the only way to say that it will not end.
                self.close_connection = True

    def _headers(self, upstream: Upstream, length: int) -> dict[str, str]:
        kept = {name: value for name, value in self.headers.items() if name.lower() not in _OURS}
        name, value = _KEY_HEADERS.get(upstream.api, ("Authorization", "Bearer {}"))
        return {**kept, name: value.format(upstream.key), "Accept-Encoding": "identity", "Content-Length": str(length)}

    def _answer(self, answer: http.client.HTTPResponse, meter: Meter) -> str:
        """Pass an answer on as it comes, but for its end; return its error in a few words, "" for none."""
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        first = b""
        try:
            secret = self.server.gateway.upstream.key.encode()
            while data := answer.read1(65536):
                meter.feed(data)
                if len(secret) >= 8:
                    # Some providers repeat a key that they do not accept.
                    data = data.replace(secret, b"[key]")
                first = (first + data)[:2000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
        finally:
            meter.end()
        return _error_kind(first) if answer.status >= 400 else ""


def _connect(upstream: Upstream) -> tuple[http.client.HTTPConnection, str]:
    parts = urllib.parse.urlsplit(upstream.base_url)
    make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    prefix = parts.path.rstrip("/").removesuffix("/v1")
    return make(parts.netloc, timeout=UPSTREAM_TIMEOUT_S), prefix


def _error_kind(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return f"{error.get('type') or error.get('code') or 'error'}: {error.get('message', '')}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "error"
