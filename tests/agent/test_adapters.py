"""Adapters against stand-ins for their programs, through sandbox, relay and gateway: which arguments, environment and
settings a program gets, and what becomes of what it says. A stand-in writes down how it was called, asks the model once
in its own way, and then prints a recorded stream. The real programs are another test's matter."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLlm, Turn

from agentkernelarena import agent, transcript
from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._cli import PLACEHOLDER_KEY, PROMPT
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus, Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES, Engine, choose
from agentkernelarena.task import loader
from agentkernelarena.workspace import prepare

STREAMS = Path(__file__).parents[1] / "unit" / "streams"
KEY = "the-real-key-of-this-test"
STAND_IN = '''\
import json, os, pathlib, sys, time, urllib.request
if sys.argv[1:] == ["--version"]:
    print("9.8.7 (stand-in)")
    sys.exit()
home = pathlib.Path(os.environ["HOME"])
files = {str(p.relative_to(home)): p.read_text() for p in home.rglob("*.json")}
pathlib.Path("called.json").write_text(json.dumps(
    {"argv": sys.argv[1:], "environment": dict(os.environ), "files": files, "cwd": os.getcwd()}))
url, header = os.environ.get("GOOGLE_GEMINI_BASE_URL", ""), "x-goog-api-key"
key = os.environ.get("GEMINI_API_KEY", "")
if url:
    url += "/v1beta/models/m:streamGenerateContent?alt=sse"
else:
    url, key, header = os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", ""), "Authorization"
    if "OPENCODE_CONFIG_CONTENT" in os.environ:
        options = json.loads(os.environ["OPENCODE_CONFIG_CONTENT"])["provider"]["gateway"]["options"]
        url, key = options["baseURL"], options["apiKey"]
    key, url = "Bearer " + key, url and url + "/chat/completions"
if url:
    body = {"model": "m", "messages": [], "contents": [], "stream": True, "stream_options": {"include_usage": True}}
    asking = urllib.request.Request(url, json.dumps(body).encode(), {header: key, "Content-Type": "application/json"})
    urllib.request.urlopen(asking).read()
print("on standard error", os.environ.get("CURSOR_API_KEY", ""), file=sys.stderr)
sys.stdout.write(@STREAM@)
sys.stdout.flush()
@WAIT@ and time.sleep(60)
sys.exit(@STATUS@)
'''


@dataclass(frozen=True)
class Done:
    status: AgentStatus
    called: dict[str, Any]
    events: list[transcript.Event]
    log: str
    requests: list[dict[str, Any]]


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, stream: str, *, code: int = 0, wait: bool = False,
        budget: Budget | None = None, engine: Engine = ENGINES["none"], **options: str) -> Done:
    program = tmp_path / "bin" / "stand-in"
    program.parent.mkdir()
    text = STAND_IN.replace("@STREAM@", repr(stream)).replace("@STATUS@", str(code)).replace("@WAIT@", str(wait))
    program.write_text(f"#!{sys.executable}\n{text}")
    program.chmod(0o755)
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://the-callers-own-configuration.invalid")
    budget, trial = budget or Budget(wall_s=60), tmp_path / "trial"
    trial.mkdir()
    with ScriptedLlm([Turn(text="a word")], key=KEY, plain=True) as llm:
        more = {} if name == "cursor" else {"base_url": llm.url + "/v1"}
        settings = AgentSettings(agent=name, model="m", options={
            "program": str(program), "key_env": "TEST_KEY", **more, **options})
        agent.load(name).preflight(settings)
        workspace = prepare(loader.load_task("hip2hip/rmsnorm"), DeviceFacts(target="cpu", name="test"), budget,
                            tmp_path / "ground", engine)
        status = agent.load(name).solve(AgentTask(workspace, settings, budget, engine, trial))
    called = workspace.folder / "called.json"
    log = "".join(p.read_text() for p in trial.iterdir())
    return Done(status, json.loads(called.read_text()) if called.exists() else {}, list(transcript.read(trial)), log,
                llm.requests)


def recorded(name: str) -> str:
    return (STREAMS / name).read_text()


FLAGS = {
    "gemini": "-m m --approval-mode yolo --skip-trust -o stream-json -p PROMPT",
    "qwen": "--auth-type openai --approval-mode yolo --output-format stream-json PROMPT",
    "opencode": "run --pure --format json --auto -m gateway/m --dir FOLDER PROMPT",
    "cursor": "-p --output-format stream-json --force --model m PROMPT",
}


@pytest.mark.parametrize("name", ["gemini", "qwen", "opencode"])
def test_a_program_behind_the_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    done = run(tmp_path, monkeypatch, name, recorded(f"{name}/stream.jsonl"))
    assert (done.status.status, done.status.reason) == ("completed", ""), done.log
    assert done.status.version == "9.8.7 (stand-in)"
    words = {"PROMPT": PROMPT, "FOLDER": done.called["cwd"]}
    assert done.called["argv"] == [words.get(w, w) for w in FLAGS[name].split()]
    # One request went through: these are its counts, not the recording's.
    usage = done.status.usage
    assert (usage.turns, usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (1, 1200, 200, 50)
    assert [r["key"] for r in done.requests] == [KEY]
    seen = json.dumps(done.called)
    assert KEY not in seen + done.log
    assert PLACEHOLDER_KEY in seen
    assert "the-callers-own" not in seen
    assert "TEST_KEY" not in done.called["environment"]
    assert done.events[0].kind == "start"
    assert done.events[-1].kind == "end"


def test_settings_that_keep_programs_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, file in (("gemini", ".gemini/settings.json"), ("qwen", ".qwen/settings.json")):
        (tmp_path / name).mkdir()
        done = run(tmp_path / name, monkeypatch, name, recorded(f"{name}/stream.jsonl"))
        settings = json.loads(done.called["files"][file])
        assert settings["telemetry"] == {"enabled": False}
        assert settings["privacy"] == {"usageStatisticsEnabled": False}
    assert done.called["environment"]["OPENAI_MODEL"] == "m"


def test_opencode_knows_the_gateway_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(tmp_path, monkeypatch, "opencode", recorded("opencode/stream.jsonl"))
    environment = done.called["environment"]
    configuration = json.loads(environment["OPENCODE_CONFIG_CONTENT"])
    assert configuration["enabled_providers"] == ["gateway"]
    assert configuration["model"] == configuration["small_model"] == "gateway/m"
    quiet = {"permission": "allow", "share": "disabled", "autoupdate": False}
    assert {name: configuration[name] for name in quiet} == quiet
    assert configuration["provider"]["gateway"]["options"]["baseURL"].startswith("http://127.0.0.1:")
    assert list(configuration["provider"]["gateway"]["models"]) == ["m"]
    for folder in ("DATA", "CONFIG", "CACHE", "STATE"):
        assert environment[f"XDG_{folder}_HOME"].startswith(environment["HOME"] + "/")
    assert environment["OPENCODE_DISABLE_AUTOUPDATE"] == "1"


@pytest.mark.parametrize("name", list(FLAGS))
def test_in_the_sandbox_it_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    done = run(tmp_path, monkeypatch, name, recorded(f"{name}/stream.jsonl"), engine=choose("auto"))
    assert (done.status.status, done.status.reason) == ("completed", ""), done.log
    assert done.called["cwd"] == "/workspace"
    words = {"PROMPT": PROMPT, "FOLDER": "/workspace"}
    assert done.called["argv"] == [words.get(w, w) for w in FLAGS[name].split()]
    assert len(done.requests) == (name != "cursor")


@pytest.mark.parametrize(("name", "code"), [("gemini", 145), ("qwen", 0), ("opencode", 1)])
def test_a_refused_key_is_an_api_error_whatever_the_exit_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                name: str, code: int) -> None:
    done = run(tmp_path, monkeypatch, name, recorded(f"{name}/f401-stream.jsonl"), code=code)
    assert done.status.status == "api_error"
    assert "invalid x-api-key" in done.status.reason


@pytest.mark.parametrize("name", ["gemini", "qwen", "opencode", "cursor"])
def test_no_closing_event_is_never_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    stream = "".join(recorded(f"{name}/stream.jsonl").splitlines(keepends=True)[:-1])
    done = run(tmp_path, monkeypatch, name, stream)
    assert done.status.status == "crashed"
    assert "without saying how" in done.status.reason


def test_cursor_goes_direct_and_the_record_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(tmp_path, monkeypatch, "cursor", recorded("cursor/stream.jsonl").replace("Looking.", f"I see {KEY}"),
               arguments="--sandbox disabled", budget=Budget(wall_s=60, turns=2))
    assert (done.status.status, done.status.reason, done.status.version) == ("completed", "", "9.8.7 (stand-in)")
    assert done.called["argv"] == [*FLAGS["cursor"].split()[:-1], *shlex.split("--sandbox disabled"), PROMPT]
    assert done.called["environment"]["CURSOR_API_KEY"] == KEY
    assert "no gateway" in done.status.sandbox
    assert (done.status.usage.turns, done.status.usage.input_tokens) == (2, None)
    assert KEY not in done.log
    assert "I see [key]" in done.log
    assert "on standard error [key]" in done.log
    assert not (tmp_path / "trial" / "gateway.jsonl").exists()


def test_cursor_is_ended_at_its_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = "".join(recorded("cursor/stream.jsonl").splitlines(keepends=True)[:6])
    done = run(tmp_path, monkeypatch, "cursor", stream, wait=True, budget=Budget(wall_s=60, turns=1))
    assert (done.status.status, done.status.reason) == ("limit", "1 turns are used up")
    assert done.status.seconds < 30


@pytest.mark.parametrize("name", ["gemini", "mini_swe"])
def test_a_budget_in_dollars_without_prices_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                       name: str) -> None:
    done = run(tmp_path, monkeypatch, name, "", budget=Budget(cost_usd=1))
    assert (done.status.status, done.called) == ("not_started", {})
    assert "price_input" in done.status.reason


@pytest.mark.parametrize("budget", [Budget(tokens=1000), Budget(cost_usd=1)])
def test_a_budget_that_cursor_cannot_keep_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     budget: Budget) -> None:
    done = run(tmp_path, monkeypatch, "cursor", recorded("cursor/stream.jsonl"), budget=budget)
    assert done.status.status == "not_started"
    assert "wall time and turns" in done.status.reason
    assert done.called == {}


@pytest.mark.parametrize(("settings", "problem"), [
    ({"model": "m", "options": {"program": "/no/such"}}, "is not installed"),
    ({"model": "m", "options": {"program": "/bin/sh", "key_env": "NO_SUCH_KEY"}}, "NO_SUCH_KEY is not set"),
    ({"options": {"program": "/bin/sh", "key_env": "PATH"}}, "model"),
    ({"model": "m", "options": {"base_url": "x"}}, "options.base_url")])
def test_what_would_stop_cursor_is_found_before_it(settings: dict[str, Any], problem: str) -> None:
    assert "PATH" in os.environ
    with pytest.raises(InputError) as raised:
        agent.load("cursor").preflight(AgentSettings(agent="cursor", **settings))
    assert problem in str(raised.value)
