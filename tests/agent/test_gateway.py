"""The gateway against a scripted provider: what it lets through, what it counts, and where the key is."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_llm import ScriptedLlm, Turn

from agentkernelarena.gateway import Api, Gateway, Meter, Prices, Upstream, relay
from agentkernelarena.record import Budget
from agentkernelarena.transcript import Tokens

PATHS: dict[str, str] = {"anthropic": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions"}
GEMINI = "/v1beta/models/gemini-x:"
KEY = "the-real-key"


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("gateway", timeout=20)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def ask(folder: Path, api: str, *, stream: bool = False, path: str = "", method: str = "POST",
        ) -> tuple[int, str]:
    body: dict[str, object] = {"model": "m", "stream": stream, "stream_options": {"include_usage": True}}
    body |= {"input": []} if api == "responses" else {"messages": []}
    if api == "gemini" and not path:
        path = GEMINI + ("streamGenerateContent?alt=sse" if stream else "generateContent")
    tool = {"name": "bash", "parameters": {}, "type": "function", "function": {"name": "bash"},
            "functionDeclarations": [{"name": "bash"}]}
    connection = _Connection(folder / "llm.sock")
    connection.request(method, path or PATHS[api], json.dumps({**body, "tools": [tool]}),
                       {"Authorization": "Bearer from-the-agent", "x-api-key": "from-the-agent",
                        "x-goog-api-key": "from-the-agent"})
    answer = connection.getresponse()
    try:
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def open_gateway(tmp_path: Path, llm: ScriptedLlm, api: Api, budget: Budget | None = None, **more: object) -> Gateway:
    upstream = Upstream(api, llm.url + "/v1", KEY)
    return Gateway(upstream, tmp_path, budget or Budget(), tmp_path / "gateway.jsonl", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("api", ["anthropic", "responses", "chat", "gemini"])
def test_it_adds_the_key_passes_the_answer_on_and_counts(tmp_path: Path, api: Api, stream: bool) -> None:
    with ScriptedLlm([Turn(text="hello there")]) as llm, open_gateway(
            tmp_path, llm, api, prices=Prices(input=3.0, output=15.0, cache_read=0.3)) as gateway:
        status, body = ask(tmp_path, api, stream=stream)
        ask(tmp_path, api, stream=stream)
    assert status == 200
    assert "hello there" in body
    assert [r["key"] for r in llm.requests] == [KEY, KEY]
    usage = gateway.usage
    assert (usage.turns, usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (2, 2400, 400, 100)
    assert usage.cost_usd == pytest.approx((2000 * 3 + 100 * 15 + 400 * 0.3) / 1e6)


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/v1beta/models/m:batchGenerateContent"), ("POST", "/v1beta/files"), ("GET", "/v1beta/models/m:x"),
    ("POST", "/v1beta/models/../files:generateContent"), ("POST", "/v1beta/models/m:generateContent/more"),
    ("GET", GEMINI + "generateContent"), ("POST", "/v1beta/cachedContents"), ("POST", "/v1/messages")])
def test_other_paths_of_gemini_are_refused(tmp_path: Path, method: str, path: str) -> None:
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(tmp_path, llm, "gemini") as gateway:
        assert ask(tmp_path, "gemini", method=method, path=path)[0] == 403
    assert llm.requests == []
    assert gateway.usage.turns == 0


@pytest.mark.parametrize("api", ["anthropic", "responses", "chat", "gemini"])
def test_the_agents_own_credentials_never_leave(tmp_path: Path, api: Api) -> None:
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(tmp_path, llm, api):
        ask(tmp_path, api)
    assert "from-the-agent" not in json.dumps(llm.requests[0]["headers"])


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/v1/files"), ("POST", "/v1/complete"), ("GET", "/v1/organizations"), ("POST", "/v1/messages/../files"),
    ("POST", "/v1/messages/batches"), ("GET", "/v1/messages"), ("POST", "/"), ("POST", "//evil.example/v1/messages"),
    ("POST", "http://evil.example/v1/files"), ("POST", "/v1/responses")])
def test_other_paths_are_refused(tmp_path: Path, method: str, path: str) -> None:
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(tmp_path, llm, "anthropic") as gateway:
        assert ask(tmp_path, "anthropic", method=method, path=path)[0] == 403
    assert llm.requests == []
    assert gateway.usage.turns == 0


@pytest.mark.parametrize(("budget", "reason"), [
    (Budget(turns=2), "2 turns"), (Budget(tokens=2000), "2000 tokens"), (Budget(cost_usd=0.005), "0.005 US dollars")])
def test_it_stops_at_the_budget(tmp_path: Path, budget: Budget, reason: str) -> None:
    told: list[str] = []
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(
            tmp_path, llm, "chat", budget, prices=Prices(input=3.0, output=15.0), on_limit=told.append):
        statuses = [ask(tmp_path, "chat")[0] for _ in range(4)]
    assert statuses == [200, 200, 403, 403]
    assert len(llm.requests) == 2
    assert told[0] == f"{reason} are used up"


def test_faults_are_passed_on_and_cost_no_turn(tmp_path: Path) -> None:
    with ScriptedLlm([Turn(text="x", fault=529, times=2)]) as llm, open_gateway(tmp_path, llm, "anthropic") as gateway:
        assert [ask(tmp_path, "anthropic")[0] for _ in range(3)] == [529, 529, 200]
    assert gateway.usage.turns == 1
    assert [e.split(":")[0] for e in gateway.errors] == ["529 overloaded_error", "529 overloaded_error"]


def test_a_broken_stream_is_broken_for_the_agent_too(tmp_path: Path) -> None:
    with ScriptedLlm([Turn(text="x", fault="cut")]) as llm, open_gateway(tmp_path, llm, "anthropic"):
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(tmp_path, "anthropic", stream=True)
        assert ask(tmp_path, "anthropic", stream=True)[0] == 200


def test_a_provider_that_is_down_is_an_error_not_a_hang(tmp_path: Path) -> None:
    upstream = Upstream("chat", "http://127.0.0.1:9", KEY)
    with Gateway(upstream, tmp_path, Budget(), tmp_path / "gateway.jsonl") as gateway:
        assert ask(tmp_path, "chat")[0] == 502
    assert "ConnectionRefused" in gateway.errors[0]


def test_the_key_is_in_no_log_and_no_answer(tmp_path: Path) -> None:
    with ScriptedLlm([Turn(text="x")], key="another") as llm, open_gateway(tmp_path, llm, "anthropic") as gateway:
        status, body = ask(tmp_path, "anthropic")
    assert status == 401
    assert KEY not in body
    assert "[key]" in body
    assert KEY not in (tmp_path / "gateway.jsonl").read_text()
    assert KEY not in "".join(gateway.errors)
    assert KEY not in repr(gateway.upstream)


@pytest.mark.parametrize("raw", [
    b"GET\r\n\r\n", b"\xff\xfe\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
    b"POST /v1/messages HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"A" * 200_000])
def test_malformed_requests_harm_nobody(tmp_path: Path, raw: bytes) -> None:
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(tmp_path, llm, "anthropic"):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "llm.sock"))
            client.settimeout(10)
            try:
                client.sendall(raw)
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
            except OSError:
                pass
        assert ask(tmp_path, "anthropic")[0] == 200
        assert len(llm.requests) == 1


def test_the_relay_is_a_port_for_the_program_that_it_runs(tmp_path: Path) -> None:
    code = ("import os, sys, urllib.request as u;"
            "r = u.Request(os.environ['BASE'] + '/v1/messages', b'{\"model\": \"m\", \"messages\": []}');"
            "print(u.urlopen(r).status, sys.argv[1].isdigit()); sys.exit(5)")
    with ScriptedLlm([Turn(text="x")]) as llm, open_gateway(tmp_path, llm, "anthropic"):
        done = subprocess.run(
            [sys.executable, "-I", "-S", relay.__file__, str(tmp_path / "llm.sock"), sys.executable, "-c", code,
             "{port}"], env={"BASE": "http://127.0.0.1:{port}"}, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (5, "200 True\n"), done.stderr


def test_counts_survive_any_cut_of_the_stream() -> None:
    body = (b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":7,'
            b'"cache_read_input_tokens":3,"output_tokens":1}}}\n\n'
            b'data: {"type":"message_delta","usage":{"output_tokens":11}}\n\n')
    for cut in range(len(body)):
        meter = Meter("anthropic", streamed=True)
        meter.feed(body[:cut])
        meter.feed(body[cut:])
        meter.end()
        assert meter.tokens == Tokens(input=7, cache_read=3, output=11)
