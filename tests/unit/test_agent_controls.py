"""The control agents and `command`: what they leave, how they end, and that nothing of them stays."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agentkernelarena import agent, plugin
from agentkernelarena.agent import AgentTask
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, Budget
from agentkernelarena.result import DeviceFacts, Outcome
from agentkernelarena.sandbox import ENGINES, Engine, Limits, choose
from agentkernelarena.submission import Submission, collect
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, prepare

FACTS = DeviceFacts(target="cpu", name="test")


@pytest.fixture(params=["bwrap", "unshare", "none"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if problem := ENGINES[request.param].problem():
        pytest.skip(f"{request.param}: {problem[0]}")
    return ENGINES[request.param]


def given(tmp_path: Path, settings: AgentSettings, task_id: str = "hip2hip/rmsnorm", engine: Engine | None = None,
          wall_s: float = 30.0) -> AgentTask:
    chosen, budget = engine or choose("auto"), Budget(wall_s=wall_s)
    trial = tmp_path / "trial"
    trial.mkdir()
    workspace = prepare(loader.load_task(task_id), FACTS, budget, tmp_path / "ground", chosen)
    agent.load(settings.agent).preflight(settings)
    return AgentTask(workspace, settings, budget, chosen, trial)


def handed_in(task: AgentTask) -> Submission:
    result = collect(task.workspace.folder, task.category)
    assert isinstance(result, Submission), result
    return result


def command(*argv: str, **options: str) -> AgentSettings:
    return AgentSettings(agent="command", command=argv, options=options)


def test_the_agents_are_found_by_their_file_names() -> None:
    assert {"noop", "replay", "command"} <= set(plugin.names("agent"))
    with pytest.raises(InputError, match="did you mean 'noop'"):
        agent.load("nop")


def test_every_agent_keeps_the_contract() -> None:
    for name in plugin.names("agent"):
        found = agent.load(name)
        assert callable(found.preflight)
        assert callable(found.solve)


@pytest.mark.parametrize("task_id", ["hip2hip/rmsnorm", "triton2triton/rmsnorm", "torch2hip/rmsnorm"])
def test_noop_hands_in_what_it_was_given(tmp_path: Path, task_id: str) -> None:
    task = given(tmp_path, AgentSettings(agent="noop"), task_id)
    assert agent.load("noop").solve(task).status == "completed"
    assert dict(handed_in(task).files) == dict(task.workspace.start)


@pytest.mark.parametrize(("task_id", "file"), [
    ("hip2hip/rmsnorm", "kernel.hip"), ("triton2triton/rmsnorm", "kernel.py"), ("torch2hip/rmsnorm", "kernel.hip")])
def test_replay_hands_in_the_suites_own_kernel_by_default(tmp_path: Path, task_id: str, file: str) -> None:
    task = given(tmp_path, AgentSettings(agent="replay"), task_id)
    assert agent.load("replay").solve(task).status == "completed"
    own = loader.operator_folders()["rmsnorm"] / file
    assert handed_in(task).files[file] == own.read_bytes()


def test_replay_takes_recorded_files(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded" / "hip2hip" / "rmsnorm"
    recorded.mkdir(parents=True)
    (recorded / "kernel.hip").write_text("// recorded")
    (recorded / "tile.h").write_text("// too")
    task = given(tmp_path, AgentSettings(agent="replay", options={"from": str(tmp_path / "recorded")}))
    agent.load("replay").solve(task)
    assert dict(handed_in(task).files) == {"kernel.hip": b"// recorded", "tile.h": b"// too"}


def test_replay_takes_the_submission_of_an_earlier_run(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "trials" / "llm--hip2hip-rmsnorm--1" / "submission"
    folder.mkdir(parents=True)
    (folder / "kernel.hip").write_text("// earlier")
    task = given(tmp_path, AgentSettings(agent="replay", options={"from": str(tmp_path / "run")}))
    agent.load("replay").solve(task)
    assert handed_in(task).files["kernel.hip"] == b"// earlier"


def test_replay_without_a_recording_is_no_completed_agent(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    task = given(tmp_path, AgentSettings(agent="replay", options={"from": str(tmp_path / "empty")}))
    status = agent.load("replay").solve(task)
    assert status.status == "crashed"
    assert "hip2hip/rmsnorm" in status.reason


@pytest.mark.parametrize(("settings", "problem"), [
    (AgentSettings(agent="noop", model="m"), "model"),
    (AgentSettings(agent="noop", options={"x": "1"}), "options.x"),
    (AgentSettings(agent="replay", options={"form": "/x"}), "did you mean 'from'"),
    (AgentSettings(agent="replay", options={"from": "/no/such/folder"}), "is not a folder"),
    (AgentSettings(agent="command"), "is empty"),
    (command("x", network="maybe"), "neither yes nor no"),
    (command("x", bind="/no/such/path"), "does not exist"),
])
def test_wrong_settings_are_found_before_the_run(settings: AgentSettings, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        agent.load(settings.agent).preflight(settings)
    assert problem in str(raised.value)


def test_command_runs_in_the_workspace_and_its_output_is_kept(tmp_path: Path, engine: Engine) -> None:
    script = "echo '// better' > kernel.hip; echo said; echo complained >&2"
    task = given(tmp_path, command("sh", "-c", script), engine=engine)
    status = agent.load("command").solve(task)
    assert (status.status, status.exit_code) == ("completed", 0)
    assert status.sandbox.startswith(engine.describe())
    assert handed_in(task).files["kernel.hip"] == b"// better\n"
    assert sorted((task.trial / "agent.log").read_text().split()) == ["complained", "said"]


def test_command_gets_the_prompt_and_the_folder(tmp_path: Path, engine: Engine) -> None:
    script = 'printf %s "$1" | cmp - "$2"/TASK.md && pwd'
    task = given(tmp_path, command("sh", "-c", script, "-", "{prompt}", "{workspace}"), engine=engine)
    assert agent.load("command").solve(task).status == "completed"
    inside = "/workspace" if engine.has_namespace else str(task.workspace.folder)
    assert (task.trial / "agent.log").read_text().strip() == inside


def test_command_can_ask_the_judge(tmp_path: Path, engine: Engine) -> None:
    task = given(tmp_path, command("sh", "-c", "./aka check && ./aka time --json"), engine=engine)
    with Broker(task.workspace, lambda r, s: ToolAnswer(True, "passed", f"{r.command} ok", '{"n": 1}')) as broker:
        assert agent.load("command").solve(task).status == "completed"
    assert (task.trial / "agent.log").read_text() == 'check ok\n{"n": 1}\n'
    assert [c.command for c in broker.calls] == ["check", "time"]


def test_a_failing_command_is_no_completed_agent(tmp_path: Path) -> None:
    status = agent.load("command").solve(given(tmp_path, command("sh", "-c", "exit 3")))
    assert (status.status, status.exit_code, status.reason) == ("crashed", 3, "exit status 3")


def test_a_command_that_does_not_exist_has_not_started(tmp_path: Path) -> None:
    status = agent.load("command").solve(given(tmp_path, command("no-such-agent")))
    assert status.status in ("not_started", "crashed")
    assert "no-such-agent" in (status.reason + (tmp_path / "trial" / "agent.log").read_text())


def test_wall_time_ends_a_command_with_everything_it_started(tmp_path: Path, engine: Engine) -> None:
    n = f"6{os.getpid()}"
    script = f"(setsid sh -c 'trap \"\" TERM; sleep {n}1' &); sleep {n}2 & echo '// part' > kernel.hip; sleep {n}3"
    task = given(tmp_path, command("sh", "-c", script), engine=engine, wall_s=1.0)
    started = time.monotonic()
    status = agent.load("command").solve(task)
    assert time.monotonic() - started < 6
    assert (status.status, status.exit_code) == ("timeout", None)
    assert "1 s of wall time" in status.reason
    assert handed_in(task).files["kernel.hip"] == b"// part\n"
    left = [p for p in os.listdir("/proc") if p.isdigit() and _runs(p, f"sleep\0{n}")]
    assert left == []


def _runs(pid: str, what: str) -> bool:
    try:
        return what.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_gigabytes_of_output_neither_block_nor_fill_the_disk(tmp_path: Path) -> None:
    script = "yes 0123456789012345678901234567890123 | head -c 1500000000; yes err | head -c 300000000 >&2; echo end"
    task = given(tmp_path, command("sh", "-c", script), wall_s=100.0)
    status = agent.load("command").solve(task)
    assert status.status == "completed"
    assert (task.trial / "agent.log").stat().st_size < 17 * 2**20


def test_output_without_end_is_cut_by_the_wall_time(tmp_path: Path) -> None:
    task = given(tmp_path, command("yes"), wall_s=1.0)
    assert agent.load("command").solve(task).status == "timeout"


def test_a_limit_is_told_apart_from_a_crash(tmp_path: Path) -> None:
    task = given(tmp_path, command("python3", "-c", "x = [bytearray(1 << 20) for _ in range(4000)]"))
    status = agent.load("command").solve(replace(task, limits=Limits(memory_mib=150)))
    assert (status.status, status.reason) == ("limit", "the limit of memory was exceeded")
    assert "memory 150 MiB by" in status.sandbox


def test_an_agent_that_removes_the_kernel_leaves_no_submission(tmp_path: Path) -> None:
    task = given(tmp_path, command("rm", "kernel.hip"))
    agent.load("command").solve(task)
    assert isinstance(collect(task.workspace.folder, task.category), Outcome)


def test_bound_paths_can_be_read_and_the_rest_cannot(tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "word").write_text("hello")
    (tmp_path / "other").write_text("hidden")
    script = f"cat {tmp_path}/tool/word; cat {tmp_path}/other"
    task = given(tmp_path, command("sh", "-c", script, bind=str(tmp_path / "tool")))
    agent.load("command").solve(task)
    assert (task.trial / "agent.log").read_text().startswith("hello")
    assert "hidden" not in (task.trial / "agent.log").read_text()
