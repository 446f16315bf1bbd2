"""The display of a run: what each event is worth, on a terminal and elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agentkernelarena.cli._progress import Lines, watching
from agentkernelarena.record import (
    AgentSettings,
    AgentStatus,
    PlannedTrial,
    RunRecord,
    RunSettings,
    TrialRecord,
    Versions,
)
from agentkernelarena.result import DeviceFacts, Outcome, Status
from agentkernelarena.run.event import RunEnded, RunStarted, StageEntered, TrialEnded, TrialRetried, TrialStarted

ROOT = Path(__file__).resolve().parents[2]


def a_run(trials: int) -> RunRecord:
    numbers = range(1, trials + 1)
    plan = tuple(PlannedTrial(id=f"t{n}", agent="noop", task="hip2hip/softmax", repetition=n) for n in numbers)
    return RunRecord(
        id="r1", created="2030-01-01T00:00:00+0000", plan=plan, commitment="0" * 64, task_digests={},
        settings=RunSettings(agents=(AgentSettings(agent="noop"),), tasks=("hip2hip/softmax",), trials=trials),
        versions=Versions(package="1", protocol="1", suite="s", python="3"), device=DeviceFacts(target="cpu", name="c"),
    )


def a_trial(number: int, status: Status, reason: str = "") -> TrialRecord:
    return TrialRecord(
        id=f"t{number}", agent="noop", task="hip2hip/softmax", repetition=number, target="cpu",
        outcome=Outcome(status=status, reason=reason), started="", ended="", seconds={"agent": 1.25, "judge": 2.0},
        agent_status=AgentStatus(status="completed"),
    )


def test_elsewhere_each_end_is_a_line_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.observe(RunStarted(Path("/runs/r1"), a_run(3), finished=1))
    lines.observe(TrialStarted("t2", 1))
    lines.observe(StageEntered("t2", "judge: compiling"))
    lines.observe(TrialRetried("t2", "no memory\nmore words"))
    lines.observe(TrialStarted("t2", 2))
    lines.observe(TrialEnded("t2", a_trial(2, Status.PASSED)))
    lines.observe(TrialEnded("t3", a_trial(3, Status.INCORRECT, "y[0] is 1\ndetails")))
    lines.observe(RunEnded(Path("/runs/r1")))
    out, err = capsys.readouterr()
    assert out == ""
    shown = err.splitlines()
    assert shown[0] == "run r1 on cpu: 3 trials, 1 finished already, folder /runs/r1"
    assert shown[1] == "t2: the harness failed, trying once more: no memory"
    assert shown[2] == "[2/3] passed       hip2hip/softmax  noop #2  3.2 s"
    assert shown[3:5] == ["[3/3] incorrect    hip2hip/softmax  noop #3  3.2 s", "    y[0] is 1"]
    assert shown[5].endswith(": 1 passed, 1 incorrect")


def test_an_interruption_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with watching() as observe:
            observe(RunStarted(Path("/runs/my run"), a_run(3), finished=2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "2 of 3 trials are finished. To go on: aka resume '/runs/my run'" in capsys.readouterr().err


_LIVE = """
import sys
sys.path.insert(0, sys.argv[1])
from test_cli_progress import *
with watching() as observe:
    observe(RunStarted(Path("/runs/r1"), a_run(4), finished=0))
    observe(TrialStarted("t1", 1))
    observe(StageEntered("t1", "judge: configuration 2/9"))
    import time; time.sleep(0.6)
    observe(TrialEnded("t1", a_trial(1, Status.PASSED)))
"""


def test_on_a_terminal_the_running_trials_and_their_stages_show() -> None:
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [sys.executable, "-c", _LIVE, str(Path(__file__).parent)], stderr=terminal, stdout=subprocess.PIPE,
        env=environment,
    )
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(controller, 4096):
            shown += chunk
    except OSError:
        pass  # the other end is closed
    os.close(controller)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == b""
    text = shown.decode()
    assert "judge: configuration 2/9" in text
    assert "0/4 trials" in text
    assert "[1/4] passed" in text
