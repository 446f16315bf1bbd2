"""The sweep: which numbers it finds, and that it climbs to the best values of a judge whose optimum is known."""

from __future__ import annotations

import ast
import json
import math
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentkernelarena import agent, transcript
from agentkernelarena.agent import AgentTask
from agentkernelarena.agent._constant import replaced, sites
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, AgentStatus, Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES
from agentkernelarena.submission import Submission
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, ToolRequest, prepare

HIP = """\
// constexpr int kComment = 64;
constexpr int kThreads = 256;
static constexpr unsigned kTile{32};
const char* text = "constexpr int kText = 128;";
#define UNROLL 4
constexpr int kOne = 1;
const int derived = kThreads / 2;
__global__ void __launch_bounds__(512) kernel() { int local = 16; for (int i = 0; i < 64; ++i) local += i; }
"""

TRITON = """\
import triton
BLOCK = 512
THREE = 3

@triton.jit
def kernel(x, SIZE: tl.constexpr):
    y = x + 64

def launch(x, y, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    kernel[(cols // 100,)](x, SIZE=block, num_stages=2)
    kernel[(8,)](
        x,
        SIZE=128,
    )
"""


def test_hip_constants_are_found_and_nothing_else() -> None:
    found = {s.name: (s.value, s.values) for s in sites(HIP, "hip")}
    assert found == {
        "kThreads": (256, (128, 512, 64, 1024)), "kTile": (32, (16, 64, 8, 128)), "UNROLL": (4, (2, 8, 1, 16)),
        "__launch_bounds__": (512, (256, 1024, 128, 2048)),
    }


def test_triton_parameters_are_found_and_nothing_else() -> None:
    found = [(s.name, s.value) for s in sites(TRITON, "triton")]
    assert found == [("BLOCK", 512), ("size", 2048), ("num_stages", 2), ("num_warps", None), ("SIZE", 128),
                     ("num_warps", None)]


@pytest.mark.parametrize(("source", "language"), [(HIP, "hip"), (TRITON, "triton")])
def test_replacing_changes_the_number_and_nothing_else(source: str, language: str) -> None:
    for site in sites(source, language):
        for value in site.values:
            new = replaced(source, [(site, value)])
            assert new[:site.start] == source[:site.start]
            assert new.endswith(source[site.end:])
            assert str(value) in new[site.start:len(new) - len(source) + site.end]
            if language == "triton":
                ast.parse(new)
    assert replaced(source, [(s, None) for s in sites(source, language)]) == source


def test_a_source_that_cannot_be_parsed_has_no_sites() -> None:
    assert sites("def launch(:\n", "triton") == ()


def test_every_baseline_of_the_suite_has_something_to_tune_and_stays_valid_python() -> None:
    folders = loader.operator_folders()
    for name, folder in folders.items():
        for file, language in (("kernel.hip", "hip"), ("kernel.py", "triton")):
            source = (folder / file).read_text()
            found = sites(source, language)
            assert found, f"{name}/{file}"
            if language == "triton":
                ast.parse(replaced(source, [(s, s.values[0]) for s in found]))
    assert folders


def judge_by(speedup: Callable[[str], float | None]) -> Callable[[ToolRequest, Submission], ToolAnswer]:
    """A judge that knows the speedup of each source; None means that it does not pass."""

    def answer(request: ToolRequest, submission: Submission) -> ToolAnswer:
        value = speedup(submission.files["kernel.hip"].decode())
        document = json.dumps({"configurations": [{"speedup": value}, {"speedup": value}]})
        return ToolAnswer(value is not None, "passed" if value is not None else "incorrect", str(value), document)

    return answer


def threads(source: str) -> int:
    match = re.search(r"kThreads = (\d+)", source)
    assert match
    return int(match[1])


def sweep(tmp_path: Path, speedup: Callable[[str], float | None], budget: Budget | None = None,
          **options: str) -> tuple[AgentStatus, str, int]:
    """(status, the kernel handed in, number of calls) of a sweep of the rmsnorm kernel, which has one constant."""
    settings, budget = AgentSettings(agent="sweep", options=options), budget or Budget(wall_s=60)
    task = loader.load_task("hip2hip/rmsnorm")
    workspace = prepare(task, DeviceFacts(target="cpu", name="test"), budget, tmp_path / "ground", ENGINES["none"])
    (tmp_path / "trial").mkdir()
    with Broker(workspace, judge_by(speedup)) as broker:
        status = agent.load("sweep").solve(
            AgentTask(workspace, settings, budget, ENGINES["none"], tmp_path / "trial"))
    return status, (workspace.folder / "kernel.hip").read_text(), len(broker.calls)


def test_it_climbs_to_the_best_value(tmp_path: Path) -> None:
    def speedup(source: str) -> float:
        return 2.0 - 0.2 * abs(math.log2(threads(source)) - 10)

    status, kernel, calls = sweep(tmp_path, speedup)
    assert status.status == "completed"
    assert threads(kernel) == 1024
    assert status.usage.turns == calls
    events = list(transcript.read(tmp_path / "trial"))
    assert events[0].kind == "start"
    assert events[-1].kind == "end"
    assert sum(e.kind == "tool_result" for e in events) == calls


def test_values_that_do_not_pass_are_never_handed_in(tmp_path: Path) -> None:
    _, kernel, _ = sweep(tmp_path, lambda s: None if threads(s) >= 512 else 256 / threads(s))
    assert threads(kernel) == 64


def test_without_gain_the_kernel_stays_as_it_was(tmp_path: Path) -> None:
    status, kernel, _ = sweep(tmp_path, lambda s: 1.01 if threads(s) != 256 else 1.0)
    assert status.status == "completed"
    assert kernel == (loader.load_task("hip2hip/rmsnorm").folder / "kernel.hip").read_text()


def test_a_lucky_measurement_is_not_handed_in(tmp_path: Path) -> None:
    asked: list[int] = []

    def speedup(source: str) -> float:
        asked.append(threads(source))
        return 1.5 if asked.count(threads(source)) == 1 and threads(source) == 512 else 1.0

    _, kernel, _ = sweep(tmp_path, speedup)
    assert threads(kernel) == 256


def test_a_start_that_does_not_pass_is_left_alone(tmp_path: Path) -> None:
    status, kernel, calls = sweep(tmp_path, lambda s: None)
    assert (status.status, calls) == ("completed", 1)
    assert threads(kernel) == 256


def test_turns_are_calls_to_the_judge(tmp_path: Path) -> None:
    status, kernel, calls = sweep(tmp_path, lambda s: threads(s) / 256, Budget(wall_s=60, turns=3))
    assert (status.status, calls) == ("limit", 3)
    assert "3 turns" in status.reason
    assert threads(kernel) in (256, 512)


def test_wall_time_is_kept(tmp_path: Path) -> None:
    def slow(source: str) -> float:
        time.sleep(0.5)
        return 1.0

    started = time.monotonic()
    status, kernel, _ = sweep(tmp_path, slow, Budget(wall_s=4))
    assert status.status in ("limit", "completed")
    assert time.monotonic() - started < 4.5
    assert threads(kernel) == 256


def test_a_judge_that_is_gone_is_an_agent_that_failed(tmp_path: Path) -> None:
    settings, budget = AgentSettings(agent="sweep"), Budget()
    task = loader.load_task("hip2hip/rmsnorm")
    workspace = prepare(task, DeviceFacts(target="cpu", name="test"), budget, tmp_path / "ground", ENGINES["none"])
    status = agent.load("sweep").solve(AgentTask(workspace, settings, budget, ENGINES["none"], tmp_path))
    assert status.status == "crashed"
    assert (workspace.folder / "kernel.hip").read_bytes() == workspace.start["kernel.hip"]


def test_wrong_options_are_found_before() -> None:
    for text in ("fast", "0.5", "nan"):
        with pytest.raises(InputError, match=r"options\.gain"):
            agent.load("sweep").preflight(AgentSettings(agent="sweep", options={"gain": text}))
