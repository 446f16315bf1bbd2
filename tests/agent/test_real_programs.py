"""Real agents, driven by a scripted model: in the sandbox, behind the gateway, on a task of the suite.

The programs are taken from AKA_TEST_PROGRAMS (a folder with claude/, codex/ and mini/ installed in it) or installed
there from their registries; a program that cannot be had is a skip with its reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripted_llm import ScriptedLlm, Turn

from agentkernelarena import agent, transcript
from agentkernelarena.agent import AgentTask
from agentkernelarena.record import AgentSettings, AgentStatus, Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES, Engine, choose
from agentkernelarena.submission import Submission, collect
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, ToolRequest, prepare

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

KEY = "the-real-key-of-this-test"
BETTER = "// a better kernel\n#include \"operator.h\"\n"


@dataclass(frozen=True)
class Program:
    """A real program: how it is installed, and how its last turn looks."""

    agent: str
    folder: str
    path: str
    install: tuple[str, ...]
    closing: tuple[Turn, ...]


NPM = ("npm", "install", "--no-audit", "--no-fund", "--prefix", ".")
PROGRAMS = [
    Program("claude_code", "claude", "node_modules/.bin/claude", (*NPM, "@anthropic-ai/claude-code@2.1.197"),
            (Turn(text="The kernel is better now."),)),
    Program("codex", "codex", "node_modules/.bin/codex", (*NPM, "@openai/codex@0.171.0"),
            (Turn(text="The kernel is better now."),)),
    Program("mini_swe", "mini", "venv/bin/mini", (sys.executable, "-m", "venv", "venv"),
            (Turn(say="Done.", shell="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),)),
]


def installed(program: Program) -> Path:
    root = Path(os.environ.get("AKA_TEST_PROGRAMS", Path(tempfile.gettempdir()) / f"aka-test-programs-{os.getuid()}"))
    folder = root / program.folder
    path = folder / program.path
    if not path.exists():
        if program.install[0] == "npm" and shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        commands = [program.install]
        if program.folder == "mini":
            commands.append((str(folder / "venv/bin/pip"), "install", "-q", "mini-swe-agent==2.4.6"))
        for command in commands:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500)
            if done.returncode != 0:
                pytest.skip(f"{program.folder} cannot be installed: {done.stderr.strip()[-200:]}")
    return path


@pytest.fixture(params=PROGRAMS, ids=[p.agent for p in PROGRAMS])
def program(request: pytest.FixtureRequest) -> Program:
    installed(request.param)
    return request.param  # type: ignore[no-any-return]


SCRIPT = (
    Turn(say="Reading the task.", shell="head -1 TASK.md"),
    Turn(say="Checking.", shell="./aka check"),
    Turn(write=("kernel.hip", BETTER)),
    Turn(shell="./aka time --json"),
)


@dataclass(frozen=True)
class Solved:
    status: AgentStatus
    task: AgentTask
    kernel: str
    calls: list[str]
    log: str

    @property
    def events(self) -> list[transcript.Event]:
        return list(transcript.read(self.task.trial))


def solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program, llm: ScriptedLlm, *,
          budget: Budget | None = None, engine: Engine | None = None, key: str = KEY) -> Solved:
    monkeypatch.setenv("TEST_KEY", key)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://the-callers-own-configuration.invalid")
    budget, engine = budget or Budget(wall_s=400), engine or choose("auto")
    options = {"program": str(installed(program)), "base_url": llm.url + "/v1", "key_env": "TEST_KEY"}
    settings = AgentSettings(agent=program.agent, model="scripted", options=options)
    agent.load(program.agent).preflight(settings)
    trial = tmp_path / "trial"
    trial.mkdir()
    workspace = prepare(loader.load_task("hip2hip/rmsnorm"), DeviceFacts(target="cpu", name="test"), budget,
                        tmp_path / "ground", engine)
    task = AgentTask(workspace, settings, budget, engine, trial)

    def judge(request: ToolRequest, submission: Submission) -> ToolAnswer:
        better = submission.files["kernel.hip"].decode() == BETTER
        speedup = 2.0 if better else 1.0
        return ToolAnswer(True, "passed", f"speedup {speedup}", json.dumps({"speedup": speedup}))

    with Broker(workspace, judge) as broker:
        status = agent.load(program.agent).solve(task)
    frozen = collect(workspace.folder, workspace.category)
    assert isinstance(frozen, Submission)
    log = "".join(p.read_text(errors="replace") for p in trial.iterdir())
    return Solved(status, task, frozen.files["kernel.hip"].decode(), [c.command for c in broker.calls], log)


def test_a_whole_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    with ScriptedLlm([*SCRIPT, *program.closing], key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm)
    assert (done.status.status, done.status.reason) == ("completed", ""), done.log[-3000:]
    assert done.kernel.strip() == BETTER.strip()
    assert done.calls == ["check", "time"]
    assert done.status.version
    assert done.status.usage.turns == 5
    assert (done.status.usage.input_tokens, done.status.usage.cached_tokens, done.status.usage.output_tokens) == (
        6000, 1000, 250)
    results = [e.text for e in done.events if e.kind == "tool_result"]
    assert any("hip2hip/rmsnorm" in text for text in results)
    assert any('"speedup": 2.0' in text for text in results)
    assert KEY not in done.log
    assert all(r["key"] == KEY for r in llm.requests)


def test_a_refused_key_is_an_api_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    with ScriptedLlm([*SCRIPT, *program.closing], key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm, key="a-wrong-key-12345")
    assert done.status.status == "api_error", done.status
    assert done.status.reason
    assert "a-wrong-key-12345" not in done.log


@pytest.mark.parametrize("fault", [529, "cut"])
def test_a_passing_fault_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program,
                                     fault: int | str) -> None:
    if fault == "cut" and program.agent == "mini_swe":
        pytest.skip("mini-swe-agent does not stream")
    turns = [*SCRIPT[:2], Turn(write=("kernel.hip", BETTER), fault=fault), *SCRIPT[3:], *program.closing]
    with ScriptedLlm(turns, key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm)
    assert done.status.status == "completed", (done.status, done.log[-2000:])
    assert done.kernel.strip() == BETTER.strip()


def test_turns_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    with ScriptedLlm([Turn(shell="echo again")] * 50, key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm, budget=Budget(wall_s=400, turns=3))
    assert done.status.status == "limit", done.status
    assert done.status.usage.turns == 3


def test_tokens_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    with ScriptedLlm([Turn(shell="echo again")] * 50, key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm, budget=Budget(wall_s=400, tokens=3000))
    assert (done.status.status, done.status.reason) == ("limit", "3000 tokens are used up"), done.status
    assert done.status.usage.turns == 3


def test_wall_time_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    mark = f"2{os.getpid()}"
    with ScriptedLlm([Turn(shell=f"setsid sleep {mark} & sleep {mark}")] * 3, key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm, budget=Budget(wall_s=12))
    assert done.status.status == "timeout"
    left = [p for p in filter(str.isdigit, os.listdir("/proc")) if _is_sleep(p, mark)]
    assert left == []


def _is_sleep(pid: str, mark: str) -> bool:
    try:
        return f"sleep\0{mark}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_without_confinement_it_works_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    with ScriptedLlm([*SCRIPT, *program.closing], key=KEY) as llm:
        done = solve(tmp_path, monkeypatch, program, llm, engine=ENGINES["none"])
    assert done.status.status == "completed", (done.status, done.log[-2000:])
    assert done.status.sandbox.startswith("none")
    assert done.kernel.strip() == BETTER.strip()
