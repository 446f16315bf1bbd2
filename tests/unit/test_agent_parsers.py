"""Parsers of real agents' streams, on recorded ones. The counts expected are those of the script behind the recording:
four turns of 1000 input tokens, 200 from a cache and 50 output each (Claude Code: 30 more into a cache). Qwen Code's
first recording lacks the script's first turn. Cursor's stream is written after its documentation, not recorded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentkernelarena import agent, transcript
from agentkernelarena.agent import _cli, claude_code, codex, cursor, gemini, mini_swe, opencode, qwen
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings
from agentkernelarena.transcript import Event, Tokens, Transcript

STREAMS = Path(__file__).parent / "streams"


def played(parser: _cli.Parser, name: str) -> tuple[list[Event], _cli.Verdict]:
    events: list[Event] = []
    for number, line in enumerate((STREAMS / name).read_bytes().splitlines()):
        events += parser.feed(line, float(number))
    return events, parser.verdict()


def trajectory(tmp_path: Path, name: str) -> mini_swe.Parser:
    shutil.copy(STREAMS / "mini_swe" / name, tmp_path / mini_swe.TRAJECTORY)
    parser = mini_swe.Parser()
    parser.read(tmp_path)
    return parser


CLAUDE = Tokens(input=4000, cache_read=800, cache_write=120, output=200)
CODEX = Tokens(input=4000, cache_read=800, cache_write=0, output=200, reasoning=0)


@pytest.mark.parametrize(("name", "verdict"), [
    ("stream", _cli.Verdict("completed", "", 4, CLAUDE)),
    ("f529-stream", _cli.Verdict("completed", "", 4, CLAUDE)),
    # One turn was repeated after a broken stream: the closing event's own usage misses it, modelUsage has it.
    ("cut-stream", _cli.Verdict("completed", "", 4, CLAUDE)),
    ("maxturns", _cli.Verdict("limit", "Reached maximum number of turns (2)", 3,
                              Tokens(input=2000, cache_read=400, cache_write=60, output=100))),
    # Comes as subtype "success" with cost 0.
    ("f401-stream", _cli.Verdict("api_error", "Invalid API key · Fix external API key", 1, Tokens())),
    ("resume", _cli.Verdict("completed", "", 2, Tokens(input=2000, cache_read=400, cache_write=60, output=100))),
])
def test_claude_code_ends(name: str, verdict: _cli.Verdict) -> None:
    assert played(claude_code.Parser(), f"claude_code/{name}.jsonl")[1] == verdict


@pytest.mark.parametrize(("name", "verdict"), [
    ("stream", _cli.Verdict("completed", "", None, CODEX)),
    ("f529-stream", _cli.Verdict("completed", "", None, CODEX)),
    ("cut-stream", _cli.Verdict("completed", "", None, CODEX)),
    ("f401-stream", None),
])
def test_codex_ends(name: str, verdict: _cli.Verdict | None) -> None:
    ended = played(codex.Parser(), f"codex/{name}.jsonl")[1]
    if verdict is None:
        assert (ended.state, ended.tokens) == ("api_error", None)
        assert "401 Unauthorized" in ended.reason
    else:
        assert ended == verdict


def test_codex_counts_are_cumulative_over_a_resumed_thread() -> None:
    first = played(codex.Parser(), "codex/stream.jsonl")[1].tokens
    second = played(codex.Parser(), "codex/resume.jsonl")[1].tokens
    assert first is not None
    assert second is not None
    assert second.minus(first) == Tokens(input=2000, cache_read=400, cache_write=0, output=100, reasoning=0)


GEMINI = Tokens(input=4000, cache_read=800, output=200)


@pytest.mark.parametrize(("name", "verdict"), [
    ("stream", _cli.Verdict("completed", "", None, GEMINI)),
    ("f529-stream", _cli.Verdict("completed", "", None, GEMINI)),
    ("cut-stream", _cli.Verdict("completed", "", None, GEMINI)),
    ("resume", _cli.Verdict("completed", "", None, Tokens(input=2000, cache_read=400, output=100))),
])
def test_gemini_ends(name: str, verdict: _cli.Verdict) -> None:
    assert played(gemini.Parser(), f"gemini/{name}.jsonl")[1] == verdict


QWEN = Tokens(input=4000, cache_read=800, output=200)


@pytest.mark.parametrize(("name", "verdict"), [
    ("stream", _cli.Verdict("completed", "", 3, Tokens(input=3000, cache_read=600, output=150))),
    ("f529-stream", _cli.Verdict("completed", "", 4, QWEN)),
    # Both come as subtype "success", without is_error, and with exit status 0.
    ("f401-stream", _cli.Verdict("api_error", "[API Error: 401 invalid x-api-key]", 1,
                                 Tokens(input=0, cache_read=0, output=0))),
    ("cut-stream", _cli.Verdict("api_error", "[API Error: terminated (cause: other side closed)]", 2,
                                Tokens(input=1000, cache_read=200, output=50))),
])
def test_qwen_ends(name: str, verdict: _cli.Verdict) -> None:
    assert played(qwen.Parser(), f"qwen/{name}.jsonl")[1] == verdict


def test_qwen_counts_are_cumulative_over_a_resumed_session() -> None:
    first = played(qwen.Parser(), "qwen/stream.jsonl")[1].tokens
    second = played(qwen.Parser(), "qwen/resume.jsonl")[1].tokens
    assert first is not None
    assert second is not None
    assert second.minus(first) == Tokens(input=2000, cache_read=400, output=100)


OPENCODE = Tokens(input=4000, cache_read=800, cache_write=0, output=200, reasoning=0)


@pytest.mark.parametrize(("name", "verdict"), [
    # The recording's prices are invented ones; the cost that follows from them is not taken.
    ("stream", _cli.Verdict("completed", "", 4, OPENCODE)), ("f529-stream", _cli.Verdict("completed", "", 4, OPENCODE)),
    ("cut-stream", _cli.Verdict("completed", "", 4, OPENCODE)),
    ("resume", _cli.Verdict("completed", "", 2, Tokens(input=2000, cache_read=400, cache_write=0, output=100,
                                                       reasoning=0))),
    ("f401-stream", _cli.Verdict("api_error", "401 APIError: invalid x-api-key", 0, Tokens())),
])
def test_opencode_ends(name: str, verdict: _cli.Verdict) -> None:
    assert played(opencode.Parser(), f"opencode/{name}.jsonl")[1] == verdict


@pytest.mark.parametrize(("reason", "state"), [("stop", "completed"), ("tool-calls", None), ("length", "crashed"),
                                               ("content-filter", "crashed"), ("error", "crashed")])
def test_opencode_has_completed_only_when_its_last_step_stopped(reason: str, state: str | None) -> None:
    parser = opencode.Parser()
    parser.feed(json.dumps({"type": "step_finish", "part": {"reason": reason}}).encode(), 0.0)
    assert parser.verdict().state == state
    parser.feed(b'{"type": "step_start", "part": {}}', 0.0)
    assert parser.verdict().state is None


def test_gemini_tells_a_refused_key_and_its_own_faults_apart() -> None:
    verdict = played(gemini.Parser(), "gemini/f401-stream.jsonl")[1]
    assert verdict.state == "api_error"
    assert "authentication_error" in verdict.reason
    parser = gemini.Parser()
    parser.feed(b'{"type": "result", "status": "error", "error": {"type": "x", "message": "out of paper"}}', 0.0)
    assert parser.verdict() == _cli.Verdict("crashed", "out of paper", None, Tokens())


def test_cursor_as_documented() -> None:
    events, verdict = played(cursor.Parser(), "cursor/stream.jsonl")
    assert verdict == _cli.Verdict("completed", "", 2)
    assert [e.kind for e in events] == ["start", "raw", "text", "tool_call", "tool_result", "tool_call", "tool_result",
                                        "text", "end"]
    assert (events[0].name, events[0].session) == ("a-model", "c6b62c6f")
    assert [(e.name, e.id) for e in events if e.kind == "tool_call"] == [("shell", "call-1"), ("write", "call-2")]
    assert json.loads(events[3].arguments) == {"command": "ls"}
    assert [e.exit_code for e in events if e.kind == "tool_result"] == [2, 1]
    parser = cursor.Parser()
    parser.feed(b'{"type": "result", "subtype": "success", "is_error": true, "result": "no"}', 0.0)
    assert parser.verdict().state == "crashed"


@pytest.mark.parametrize(("name", "state", "turns"), [
    ("traj.json", "completed", 4), ("f529-traj.json", "limit", 4), ("cut-traj.json", "limit", 4),
    ("f401-traj.json", "api_error", 0)])
def test_mini_swe_ends(tmp_path: Path, name: str, state: str, turns: int) -> None:
    verdict = trajectory(tmp_path, name).verdict()
    assert (verdict.state, verdict.turns) == (state, turns)
    if turns:
        assert verdict.tokens == Tokens(input=1000 * turns, cache_read=200 * turns, output=50 * turns)
    else:
        assert "AuthenticationError" in verdict.reason


@pytest.mark.parametrize(("parser", "name"), [
    (claude_code.Parser(), "claude_code/stream.jsonl"), (codex.Parser(), "codex/stream.jsonl"),
    (gemini.Parser(), "gemini/stream.jsonl"), (qwen.Parser(), "qwen/f529-stream.jsonl"),
    (opencode.Parser(), "opencode/stream.jsonl")])
def test_calls_have_results_and_words_are_kept(parser: _cli.Parser, name: str) -> None:
    events, _ = played(parser, name)
    assert events[0].kind == "start"
    assert events[0].session
    assert [e.text for e in events if e.kind == "text"] == [
        "Looking at the workspace.", "Testing it.", "Done: kernel.py written and tested."]
    calls = [e for e in events if e.kind == "tool_call"]
    results = {e.id: e for e in events if e.kind == "tool_result"}
    assert len(calls) == 3
    assert {c.id for c in calls} == set(results)
    assert "MOCK_LS_OK" in results[calls[0].id].text
    assert results[calls[2].id].text.strip() == "42"
    assert "ls -la" in json.loads(calls[0].arguments)["command"]
    assert "def kernel" in calls[1].arguments
    assert sum(e.kind == "usage" for e in events) == (4 if name.startswith("opencode") else 1)


def test_mini_swe_conversation_becomes_events(tmp_path: Path) -> None:
    events = trajectory(tmp_path, "traj.json").events(began=1796126517.0)
    assert [e.kind for e in events].count("tool_call") == 4
    results = [e for e in events if e.kind == "tool_result"]
    assert results[2].text == "42\n"
    assert (results[0].exit_code, results[0].t) == (0, 0.346)
    assert [e.t for e in events] == sorted(e.t for e in events)
    assert events[-1].kind == "end"


def test_retries_are_seen() -> None:
    claude = [e for e in played(claude_code.Parser(), "claude_code/f529-stream.jsonl")[0] if e.kind == "retry"]
    assert [e.text for e in claude] == ["529 overloaded, attempt 1"]
    assert any(e.kind == "retry" for e in played(codex.Parser(), "codex/cut-stream.jsonl")[0])


PARSERS: dict[str, type[_cli.Parser]] = {
    "claude_code": claude_code.Parser, "codex": codex.Parser, "cursor": cursor.Parser, "gemini": gemini.Parser,
    "opencode": opencode.Parser, "qwen": qwen.Parser}


@pytest.mark.parametrize("name", list(PARSERS))
def test_without_its_last_line_a_stream_has_no_ending(name: str) -> None:
    parser = PARSERS[name]()
    for line in (STREAMS / name / "stream.jsonl").read_bytes().splitlines()[:-1]:
        parser.feed(line, 0.0)
    assert parser.verdict().state is None


def test_no_trajectory_or_half_of_one_is_no_ending(tmp_path: Path) -> None:
    parser = mini_swe.Parser()
    for content in (None, b"", b'{"info": {"exit_st', b"[]", b'{"info": 3, "messages": "x"}', b"[" * 100_000):
        if content is not None:
            (tmp_path / mini_swe.TRAJECTORY).write_bytes(content)
        parser.read(tmp_path)
        assert parser.verdict().state is None
        assert [e.kind for e in parser.events(0.0)] == ["start"]
    (tmp_path / mini_swe.TRAJECTORY).unlink()
    (tmp_path / mini_swe.TRAJECTORY).symlink_to(STREAMS / "mini_swe" / "traj.json")
    parser.read(tmp_path)
    assert parser.verdict().state is None


STRANGE = [
    b"", b"\xff\xfe", b"not json", b"[]", b"null", b"3", b"{}", b'{"type": "a new kind"}', b'{"type": "assistant"}',
    b'{"type": "assistant", "message": {"content": [{"type": "tool_use"}, 3, null]}}', b'{"type": "result"}',
    b'{"type": "user", "message": {"content": [{"type": "tool_result"}]}}', b'{"type": "result", "modelUsage": 3}',
    b'{"type": "result", "modelUsage": {"m": 3}}', b'{"type": "item.completed", "item": {"type": "command_execution"}}',
    b'{"type": "item.completed", "item": 5}', b'{"type": "turn.completed", "usage": {"input_tokens": "many"}}',
    b'{"type": "turn.failed"}', b'{"type": "error", "message": null}', b"[" * 5000, b'{"type": "tool_use"}',
    b'{"type": "tool_use", "part": {"tool": "x", "callID": "y"}}', b'{"type": "tool_use", "part": {"state": 3}}',
    b'{"type": "step_finish", "part": {"tokens": {"input": "many", "cache": 3}}}', b'{"type": "error", "error": 3}',
    b'{"type": "tool_call", "tool_call": {}}', b'{"type": "tool_call", "subtype": "completed", "tool_call": 3}',
    b'{"type": "tool_call", "subtype": "completed", "tool_call": {"xToolCall": {"result": 3}}}',
    b'{"type": "result", "stats": {"input": "many"}}', b'{"type": "result", "usage": {"input_tokens": 3.5}}',
    b'{"type": "message", "role": "assistant"}', b'{"type": "tool_result", "tool_id": 3, "output": [1]}',
]


@pytest.mark.parametrize("line", STRANGE, ids=[str(n) for n in range(len(STRANGE))])
def test_strange_lines_harm_nobody(line: bytes) -> None:
    for make in PARSERS.values():
        parser = make()
        events = parser.feed(line, 0.0)
        assert parser.verdict().state != "completed" or b'"result"' in line or b"turn.completed" in line
        assert all(isinstance(e, Event) for e in events)
        assert events or not line.strip()


def test_a_transcript_comes_back_as_it_was_written(tmp_path: Path) -> None:
    events = [Event(t=1.5, kind="tool_call", id="a", name="Bash", arguments='{"command": "ls"}'),
              Event(t=2.0, kind="tool_result", id="a", text="x\ny", exit_code=2),
              Event(t=3.0, kind="usage", tokens=Tokens(input=5, output=7))]
    with Transcript(tmp_path) as writing:
        for event in events:
            writing.add(event)
    with open(tmp_path / transcript.FILE, "a") as stream:
        stream.write('{"t": 4, "kind": "te')
    assert list(transcript.read(tmp_path)) == events
    shown = " ".join("\n".join(transcript.render(iter(events))).split())
    assert shown == "[ 1.5 s] > Bash ls [ 2.0 s] < (exit status 2) x y [ 3.0 s] 12 tokens"


def test_long_fields_are_cut_and_a_transcript_ends_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "FILE_BYTES", 100_000)
    with Transcript(tmp_path) as writing:
        for _ in range(10):
            writing.add(Event(t=0, kind="text", text="x" * 50_000))
        assert writing.full
    events = list(transcript.read(tmp_path))
    assert 1 <= len(events) < 10
    assert events[0].text.endswith("[18000 more]")
    assert (tmp_path / transcript.FILE).stat().st_size <= 100_000


@pytest.mark.parametrize(("settings", "problem"), [
    ({"options": {"program": "/no/such/claude"}, "model": "m"}, "is not installed"),
    ({"options": {"program": "/bin/sh"}}, "model"),
    ({"options": {"program": "/bin/sh", "key_env": "NO_SUCH_KEY"}, "model": "m"}, "NO_SUCH_KEY is not set"),
    ({"options": {"program": "/bin/sh", "key_env": "PATH", "price_input": "cheap"}, "model": "m"}, "is no price"),
    ({"options": {"program": "/bin/sh", "key_env": "PATH", "arguments": "'"}, "model": "m"}, "options.arguments"),
    ({"options": {"progam": "x"}, "model": "m"}, "did you mean 'program'"),
])
@pytest.mark.parametrize("name", ["claude_code", "codex", "gemini", "mini_swe", "opencode", "qwen"])
def test_what_would_stop_a_run_is_found_before_it(name: str, settings: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError) as raised:
        agent.load(name).preflight(AgentSettings(agent=name, **settings))  # type: ignore[arg-type]
    assert problem in str(raised.value)
