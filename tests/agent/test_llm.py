"""Plain model calls: three formats against a scripted provider, one answer or several, and a judge that is known."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLlm, Turn

from agentkernelarena import agent, transcript
from agentkernelarena.agent import AgentTask
from agentkernelarena.agent.llm import code_of
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus, Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES
from agentkernelarena.submission import Submission
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, ToolRequest, prepare

KEY = "the-real-key-of-this-test"
APIS = ("chat", "responses", "anthropic")


def kernel(speedup: float | str) -> str:
    return f"// speedup {speedup}\n#include \"operator.h\"\n"


def block(source: str) -> str:
    return f"Here it is.\n\n```cpp\n{source}```\n\nIt is faster."


def judge(request: ToolRequest, submission: Submission) -> ToolAnswer:
    """A judge that believes the first line of a kernel; "slow" takes its time."""
    text = submission.files["kernel.hip"].decode()
    match = re.match(r"// speedup ([\d.]+)", text)
    if text.startswith("// speedup slow"):
        time.sleep(5)
    if match is None:
        return ToolAnswer(False, "compile_error", "kernel.hip:3: error: expected ';'", '{"configurations": []}')
    document = json.dumps({"configurations": [{"speedup": float(match[1])}, {"speedup": float(match[1])}]})
    return ToolAnswer(True, "passed", f"all right, speedup {match[1]}", document)


@dataclass(frozen=True)
class Done:
    status: AgentStatus
    kernel: str
    calls: list[str]
    trial: Path
    requests: list[dict[str, Any]]

    @property
    def events(self) -> list[transcript.Event]:
        return list(transcript.read(self.trial))


def solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: list[Turn], *, key: str = KEY, base_url: str = "",
          budget: Budget | None = None, with_judge: bool = True, **options: str) -> Done:
    monkeypatch.setenv("TEST_KEY", key)
    budget, trial = budget or Budget(wall_s=60), tmp_path / "trial"
    trial.mkdir()
    with ScriptedLlm(turns, key=KEY, plain=True) as llm:
        settings = AgentSettings(agent="llm", model="scripted", options={
            "key_env": "TEST_KEY", "base_url": base_url or llm.url + "/v1", **options})
        agent.load("llm").preflight(settings)
        workspace = prepare(loader.load_task("hip2hip/rmsnorm"), DeviceFacts(target="cpu", name="test"), budget,
                            tmp_path / "ground", ENGINES["none"])
        task = AgentTask(workspace, settings, budget, ENGINES["none"], trial)
        calls: list[str] = []
        if with_judge:
            with Broker(workspace, judge) as broker:
                status = agent.load("llm").solve(task)
            calls = [c.command for c in broker.calls]
        else:
            status = agent.load("llm").solve(task)
    return Done(status, (workspace.folder / "kernel.hip").read_text(), calls, trial, llm.requests)


def start() -> str:
    return (loader.load_task("hip2hip/rmsnorm").folder / "kernel.hip").read_text()


def words(request: dict[str, Any]) -> list[tuple[str, str]]:
    """(role, text) of a request's conversation, whatever its format."""
    return [(m["role"], m["content"]) for m in request["body"].get("messages") or request["body"]["input"]]


@pytest.mark.parametrize("api", APIS)
def test_one_answer_is_put_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text=block(kernel(2)))], api=api, price_input="3", price_output="15",
                 price_cache_read="0.3")
    assert (done.status.status, done.status.reason) == ("completed", "")
    assert done.kernel == kernel(2)
    assert done.calls == []
    usage = done.status.usage
    assert (usage.turns, usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (1, 1200, 200, 50)
    assert usage.cost_usd == pytest.approx((1000 * 3 + 200 * 0.3 + 50 * 15) / 1e6)
    assert done.status.version == "1 (scripted)"
    [(role, asked)] = words(done.requests[0])
    assert role == "user"
    for part in ("# hip2hip/rmsnorm", "def reference", 'extern "C" void launch(', start().rstrip()):
        assert part in asked
    assert [e.kind for e in done.events] == ["start", "text", "usage", "text", "end"]
    assert not any(KEY in p.read_text() for p in done.trial.iterdir())
    assert done.requests[0]["key"] == KEY
    assert ("anthropic-version" in {n.lower() for n in done.requests[0]["headers"]}) == (api == "anthropic")


@pytest.mark.parametrize("api", APIS)
def test_the_judges_words_go_back_and_the_fastest_that_passed_is_handed_in(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    turns = [Turn(text=block("int broken\n")), Turn(text=block(kernel(3))), Turn(text="I give up."),
             Turn(text=block(kernel(2)))]
    done = solve(tmp_path, monkeypatch, turns, api=api, shots="4")
    assert (done.status.status, done.kernel) == ("completed", kernel(3))
    assert "3.00" in done.status.reason
    assert done.calls == ["time"] * 3
    last = words(done.requests[-1])
    assert [role for role, _ in last] == ["user", "assistant"] * 3 + ["user"]
    assert "error: expected ';'" in last[2][1]
    assert "speedup 3" in last[4][1]
    assert "no closed fenced block" in last[6][1]
    assert done.status.usage.turns == 4
    assert sum(e.kind == "tool_result" for e in done.events) == 3


def test_when_nothing_passed_the_last_answer_is_handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text=block("broken 1\n")), Turn(text=block("broken 2\n"))], shots="2")
    assert (done.status.status, done.kernel) == ("completed", "broken 2\n")
    assert "does not pass" in done.status.reason


def test_an_answer_without_a_kernel_leaves_the_start_and_says_so(tmp_path: Path,
                                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text="I would rather not.")])
    assert done.kernel == start()
    assert (done.status.status, "no closed fenced block" in done.status.reason) == ("completed", True)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", [429, 529, "cut"])
def test_a_passing_fault_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str,
                                     fault: int | str) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text=block(kernel(2)), fault=fault)], api=api)
    assert (done.status.status, done.kernel) == ("completed", kernel(2))
    [retry] = [e.text for e in done.events if e.kind == "retry"]
    assert ("broke off" if fault == "cut" else str(fault)) in retry
    # A refused attempt is no turn; a broken one may have cost what a turn costs.
    assert done.status.usage.turns == (2 if fault == "cut" else 1)


@pytest.mark.parametrize("api", APIS)
def test_a_refused_key_ends_it_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text="x")], api=api, key="a-wrong-key-12345")
    assert done.status.status == "api_error"
    assert "401 authentication_error" in done.status.reason
    assert len(done.requests) == 1
    assert not any("a-wrong-key-12345" in p.read_text() for p in done.trial.iterdir())
    assert done.kernel == start()


def test_a_dead_backend_is_given_up_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    done = solve(tmp_path, monkeypatch, [Turn(text="x")], base_url="http://127.0.0.1:9", budget=Budget(wall_s=2))
    assert done.status.status == "timeout"
    assert time.monotonic() - began < 5
    assert any("502" in e.text for e in done.events if e.kind == "retry")


@pytest.mark.parametrize(("budget", "reason", "turns"), [
    (Budget(wall_s=60, turns=2), "2 turns are used up", 2), (Budget(wall_s=60, tokens=1000), "1000 tokens", 1),
    (Budget(wall_s=60, cost_usd=0.005), "0.005 US dollars", 2)])
def test_budgets_end_it_and_keep_what_is_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: Budget,
                                              reason: str, turns: int) -> None:
    scripted = [Turn(text=block(kernel(2))), *(Turn(text=block(f"broken {n}\n")) for n in range(5))]
    done = solve(tmp_path, monkeypatch, scripted, budget=budget, shots="6", price_input="3")
    assert (done.status.status, done.status.usage.turns, done.kernel) == ("limit", turns, kernel(2))
    assert reason in done.status.reason


def test_a_budget_in_dollars_without_prices_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text="x")], budget=Budget(cost_usd=1))
    assert (done.status.status, done.requests) == ("not_started", [])
    assert "price_input" in done.status.reason


@pytest.mark.parametrize("turns", [
    [Turn(text=block(kernel(2))), Turn(text="late", delay_s=6)], [Turn(text=block(kernel(2))),
                                                                Turn(text=block(kernel("slow")))]],
    ids=["the model is slow", "the judge is slow"])
def test_wall_time_ends_it_and_keeps_what_is_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                  turns: list[Turn]) -> None:
    done = solve(tmp_path, monkeypatch, turns, budget=Budget(wall_s=3), shots="3")
    assert (done.status.status, done.kernel) == ("timeout", kernel(2))
    assert 2.9 < done.status.seconds < 4.5


def test_a_judge_that_is_gone_is_an_agent_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text=block(kernel(2)))], shots="2", with_judge=False)
    assert done.status.status == "crashed"
    assert "the judge did not answer" in done.status.reason


@pytest.mark.parametrize(("api", "name"), [("chat", "max_completion_tokens"), ("responses", "max_output_tokens"),
                                           ("anthropic", "max_tokens")])
def test_the_longest_answer_is_asked_for_in_each_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str,
                                                        name: str) -> None:
    done = solve(tmp_path, monkeypatch, [Turn(text=block(kernel(2)))], api=api, output_tokens="4321")
    assert done.requests[0]["body"][name] == 4321


@pytest.mark.parametrize(("answer", "code"), [
    ("```\na\n```", "a\n"), ("first\n```cpp\na\n```\nthen\n```cpp\nb\n```\n", "b\n"), ("~~~py\na\n~~~", "a\n"),
    ("````\n```\ninner\n```\n````", "```\ninner\n```\n"), ("```cpp\na\n", None), ("no block", None), ("", None)])
def test_the_last_closed_block_is_the_kernel(answer: str, code: str | None) -> None:
    assert code_of(answer) == code


@pytest.mark.parametrize(("settings", "problem"), [
    ({}, "model"), ({"model": "m", "options": {"api": "chatt"}}, "did you mean 'chat'"),
    ({"model": "m", "options": {"shots": "0"}}, "options.shots"),
    ({"model": "m", "options": {"shots": "many"}}, "options.shots"),
    ({"model": "m", "options": {"output_tokens": "-1"}}, "options.output_tokens"),
    ({"model": "m", "options": {"key_env": "NO_SUCH_KEY"}}, "NO_SUCH_KEY is not set"),
    ({"model": "m", "options": {"program": "x"}}, "options.program"),
    ({"model": "m", "options": {"key_env": "PATH", "price_input": "-1"}}, "is no price")])
def test_what_would_stop_a_run_is_found_before_it(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as raised:
        agent.load("llm").preflight(AgentSettings(agent="llm", **settings))
    assert problem in str(raised.value)
