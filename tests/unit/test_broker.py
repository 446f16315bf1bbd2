"""The judge's counter: what it answers, in which order, and what it does not let itself be talked into."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentkernelarena.errors import InfrastructureError
from agentkernelarena.record import Budget
from agentkernelarena.result import (
    ConfigurationResult,
    DeviceFacts,
    Gate,
    GateResult,
    Interval,
    Judgement,
    Mismatch,
    Outcome,
    SideResult,
    Status,
    Verdict,
)
from agentkernelarena.sandbox import ENGINES
from agentkernelarena.submission import Submission
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, DeviceQueue, ToolAnswer, ToolRequest, Workspace, answer, prepare, turn

FACTS = DeviceFacts(target="cpu", name="test")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    task = loader.load_task("hip2hip/rmsnorm")
    seen = {"small": task.smoke, "large": next(iter(task.seen.values()))}
    return prepare(task, FACTS, Budget(), tmp_path / "w", ENGINES["none"], seen=seen)


class Recorder:
    """A judge that answers with what it was asked."""

    def __init__(self, seconds: float = 0.0, act: Callable[[], None] = lambda: None) -> None:
        self.asked: list[tuple[ToolRequest, Submission]] = []
        self.seconds, self.act, self.inside, self.most = seconds, act, 0, 0

    def __call__(self, request: ToolRequest, submission: Submission) -> ToolAnswer:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.asked.append((request, submission))
        time.sleep(self.seconds)
        try:
            self.act()
        finally:
            self.inside -= 1
        passed = b"fast" in submission.files["kernel.hip"]
        text = f"{request.command} {' '.join(request.configurations)}"
        return ToolAnswer(passed, "passed" if passed else "incorrect", text, json.dumps({"asked": request.command}))


def aka(workspace: Workspace, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["./aka", *argv], cwd=workspace.folder, capture_output=True, text=True, timeout=60)


def raw(workspace: Workspace, data: bytes, close: bool = False) -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        folder = os.open(workspace.run, os.O_RDONLY)
        client.connect(f"/proc/self/fd/{folder}/broker.sock")
        os.close(folder)
        client.settimeout(20)
        try:
            client.sendall(data)
            return b"" if close else client.recv(1 << 20)
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_the_answer_comes_as_text_json_and_exit_status(workspace: Workspace) -> None:
    with Broker(workspace, Recorder()) as broker:
        first = aka(workspace, "check")
        assert (first.returncode, first.stdout) == (1, "check \n")
        (workspace.folder / "kernel.hip").write_text("// fast")
        second = aka(workspace, "time", "small", "--json")
        assert (second.returncode, json.loads(second.stdout)) == (0, {"asked": "time"})
    assert [(c.command, c.outcome) for c in broker.calls] == [("check", "incorrect"), ("time small", "passed")]
    assert 0 <= broker.calls[0].at_s < broker.calls[1].at_s


def test_the_submission_is_what_the_workspace_holds_when_asked(workspace: Workspace) -> None:
    judge = Recorder()
    with Broker(workspace, judge):
        (workspace.folder / "kernel.hip").write_text("// one")
        (workspace.folder / "tile.h").write_text("// two")
        aka(workspace, "check")
    assert dict(judge.asked[0][1].files) == {"kernel.hip": b"// one", "tile.h": b"// two"}


def test_a_workspace_without_entry_is_answered_without_the_judge(workspace: Workspace) -> None:
    (workspace.folder / "kernel.hip").unlink()
    judge = Recorder()
    with Broker(workspace, judge):
        done = aka(workspace, "check")
    assert (done.returncode, done.stdout) == (1, "no_submission: kernel.hip: is missing\n")
    assert judge.asked == []


def test_what_was_left_out_is_said(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.folder / "stolen.h").symlink_to("/etc/passwd")
    with Broker(workspace, Recorder()):
        assert "left out: stolen.h: is a symbolic link" in aka(workspace, "check").stdout


def test_unknown_configurations_are_refused_with_the_known_ones(workspace: Workspace) -> None:
    judge = Recorder()
    with Broker(workspace, judge) as broker:
        done = aka(workspace, "check", "unseen-1")
    assert done.returncode == 2
    assert "'small', 'large'" in done.stdout
    assert judge.asked == []
    assert [c.outcome for c in broker.calls] == ["wrong_use"]


def test_info_needs_no_judge(workspace: Workspace) -> None:
    judge = Recorder()
    with Broker(workspace, judge, info=lambda: answer.info(workspace, FACTS, Budget(wall_s=60), 12.3)):
        done = aka(workspace, "info", "--json")
    document = json.loads(done.stdout)
    assert (document["task"], document["wall_left_s"], document["configurations"]) == (
        "hip2hip/rmsnorm", 12.3, ["small", "large"])
    assert judge.asked == []


def test_a_fault_of_the_harness_is_told_as_such_and_the_next_call_works(workspace: Workspace) -> None:
    def fail() -> None:
        raise InfrastructureError("the device is lost")

    judge = Recorder(act=fail)
    with Broker(workspace, judge) as broker:
        done = aka(workspace, "check")
        assert done.returncode == 3
        assert "not your kernel: the device is lost" in done.stdout
        judge.act = lambda: None
        assert aka(workspace, "check").returncode == 1
    assert [c.outcome for c in broker.calls] == ["unavailable", "incorrect"]


MALFORMED = [
    b"\n", b"{}\n", b"[]\n", b"null\n", b"check\n", b'{"command": "win"}\n', b'{"command": "check", "passed": true}\n',
    b'{"command": ["check"]}\n', b'{"command": "check", "configurations": "small"}\n', b"\xff\xfe\x00\n",
    b'{"command": "check", "configurations": [1]}\n', b'{"command": "check", "configurations": ["../../etc"]}\n',
    b"[" * 4000 + b"\n", b'{"command": "check", "configurations": [' + b'"small",' * 100 + b'"small"]}\n',
]


@pytest.mark.parametrize("message", MALFORMED, ids=[str(n) for n in range(len(MALFORMED))])
def test_malformed_requests_are_answered_and_never_reach_the_judge(workspace: Workspace, message: bytes) -> None:
    judge = Recorder()
    with Broker(workspace, judge):
        reply = json.loads(raw(workspace, message))
        assert reply["status"] == "2"
        assert judge.asked == []
        assert aka(workspace, "check").returncode == 1


def test_endless_and_silent_clients_do_not_keep_others_waiting(workspace: Workspace) -> None:
    with Broker(workspace, Recorder()):
        assert raw(workspace, b"x" * 100_000) == b""
        idle = []
        for _ in range(3):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(workspace.socket))
            idle.append(client)
        started = time.monotonic()
        assert aka(workspace, "check").returncode == 1
        assert time.monotonic() - started < 3
        for client in idle:
            client.close()
    # Leaving the context ended every thread, although three clients had sent nothing.
    assert not [t for t in threading.enumerate() if t.name == "broker-client"]


def test_no_more_than_a_few_connections_are_held(workspace: Workspace) -> None:
    with Broker(workspace, Recorder()):
        clients = []
        for _ in range(30):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(workspace.socket))
            clients.append(client)
        time.sleep(0.3)
        assert len([t for t in threading.enumerate() if t.name == "broker-client"]) <= 8
        for client in clients:
            client.close()
        time.sleep(0.3)
        assert aka(workspace, "check").returncode == 1


def test_one_call_at_a_time_for_one_workspace(workspace: Workspace) -> None:
    judge = Recorder(seconds=0.1)
    with Broker(workspace, judge):
        threads = [threading.Thread(target=aka, args=(workspace, "check")) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(judge.asked) == 5
    assert judge.most == 1


def test_a_client_that_hangs_up_cancels_its_call(workspace: Workspace) -> None:
    begun, seen = threading.Event(), threading.Event()

    def judge(request: ToolRequest, submission: Submission) -> ToolAnswer:
        begun.set()
        if request.cancelled.wait(10):
            seen.set()
        return ToolAnswer(False, "incorrect", "", "{}")

    with Broker(workspace, judge):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(workspace.socket))
            client.sendall(b'{"command": "check"}\n')
            assert begun.wait(5)
            assert not seen.is_set()
        assert seen.wait(5)


def test_a_client_that_has_left_costs_no_judging(workspace: Workspace) -> None:
    judge = Recorder(seconds=0.3)
    with Broker(workspace, judge) as broker:
        waiting = threading.Thread(target=aka, args=(workspace, "check"))
        waiting.start()
        while not judge.asked:
            time.sleep(0.01)
        raw(workspace, b'{"command": "time"}\n', close=True)
        waiting.join()
        assert aka(workspace, "profile").returncode == 1
    assert [r.command for r, _ in judge.asked] == ["check", "profile"]
    assert "cancelled" in {c.outcome for c in broker.calls}


def test_stopping_cancels_the_call_in_progress(workspace: Workspace) -> None:
    begun = threading.Event()

    def judge(request: ToolRequest, submission: Submission) -> ToolAnswer:
        begun.set()
        assert request.cancelled.wait(10)
        return ToolAnswer(False, "incorrect", "late", "{}")

    with Broker(workspace, judge):
        client = threading.Thread(target=aka, args=(workspace, "check"))
        client.start()
        assert begun.wait(10)
        stopped = time.monotonic()
    assert time.monotonic() - stopped < 2
    client.join()
    assert aka(workspace, "check").returncode == 3


def test_answers_are_cut_to_a_limit(workspace: Workspace) -> None:
    with Broker(workspace, lambda r, s: ToolAnswer(True, "passed", "x" * 10**6, "[" + "1," * 10**6 + "1]")):
        assert len(aka(workspace, "check").stdout) < 70_000
        assert "too long" in json.loads(aka(workspace, "check", "--json").stdout)["reason"]


def test_a_warm_call_takes_well_under_a_second(workspace: Workspace) -> None:
    with Broker(workspace, Recorder()) as broker:
        aka(workspace, "check")
        started = time.monotonic()
        aka(workspace, "check")
        assert time.monotonic() - started < 1.0
    assert broker.calls[1].seconds < 0.2


def test_the_queue_is_first_come_first_served_between_workspaces(tmp_path: Path) -> None:
    queue, order = DeviceQueue(tmp_path / "q"), []
    lock = threading.Lock()

    def work(name: int) -> None:
        with queue.turn():
            with lock:
                order.append(name)
            time.sleep(0.05)

    threads = []
    for name in range(6):
        threads.append(threading.Thread(target=work, args=(name,)))
        threads[-1].start()
        time.sleep(0.02)
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def hold(folder: str, ready: str) -> None:
    with DeviceQueue(Path(folder)).turn():
        Path(ready).touch()
        time.sleep(60)


def test_a_holder_that_is_killed_frees_the_device(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=hold, args=(str(tmp_path / "q"), str(tmp_path / "ready")))
    child.start()
    while not (tmp_path / "ready").exists():
        time.sleep(0.02)
    queue = DeviceQueue(tmp_path / "q")
    waited = time.monotonic()
    with pytest.raises(turn.Cancelled):
        queue.turn(lambda: time.monotonic() - waited > 0.3).__enter__()
    child.kill()
    child.join()
    started = time.monotonic()
    with queue.turn():
        assert time.monotonic() - started < 1


def test_processes_share_one_queue(tmp_path: Path) -> None:
    code = f"""if True:
        import sys, time
        from pathlib import Path
        from agentkernelarena.workspace.turn import DeviceQueue
        for _ in range(20):
            with DeviceQueue(Path({str(tmp_path / 'q')!r})).turn():
                path = Path({str(tmp_path / 'inside')!r})
                path.open("x").close(); time.sleep(0.002); path.unlink()
    """
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [c.wait(60) for c in children] == [0, 0, 0]


def judged(unseen_secret: str = "unseen-7") -> Judgement:
    good = Outcome(status=Status.PASSED)
    bad = Outcome(status=Status.INCORRECT, gate=Gate.CORRECTNESS, reason="large: y is wrong")
    miss = Mismatch(output="y", index=(2, 5), value=1.5, expected=2.0, bound=0.01, draw="wide", wrong_elements=3,
                    elements=9)
    return Judgement(
        protocol="1", task="hip2hip/rmsnorm", task_digest="", submission_digest="", target="cpu", ranked=False,
        isolation="bwrap", outcome=bad, gates=(
            GateResult(gate=Gate.COMPILE, outcome=good, seconds=1.0, log="note: 32 registers"),
            GateResult(gate=Gate.CORRECTNESS, outcome=bad, seconds=1.0, log="wrong here")),
        configurations=(
            ConfigurationResult(
                name="small", seen=True, configuration={"rows": 5}, baseline=SideResult(outcome=good, time_us=10.0),
                submission=SideResult(outcome=good, time_us=5.0, error_ratio=0.25, host_us=7.0), speedup=2.0,
                interval=Interval(low=1.9, high=2.1), verdict=Verdict.FASTER, floor_us=1.0),
            ConfigurationResult(name="large", seen=True, configuration={"rows": 50}, baseline=SideResult(outcome=good),
                                submission=SideResult(outcome=bad, mismatch=miss)),
            ConfigurationResult(name=unseen_secret, seen=False, stratum="larger", configuration={"rows": 777},
                                baseline=SideResult(outcome=good), submission=SideResult(outcome=bad, mismatch=miss)),
        ))


def test_a_judgement_is_told_with_its_numbers_and_nothing_unseen() -> None:
    told = answer.from_judgement("time", judged())
    assert (told.passed, told.outcome) == (False, "incorrect")
    for part in ("y[2, 5] is 1.5, expected 2.0 within 0.01", "3 of 9", "5.00 us (baseline 10.00 us)", "speedup 2.000",
                 "[1.900, 2.100]", "faster", "20% of the device's limit", "wrong here"):
        assert part in told.text, part
    assert "32 registers" not in told.text
    assert "32 registers" in answer.from_judgement("profile", judged()).text
    assert "small: passed, error 0.25 of its bound\n" in answer.from_judgement("check", judged()).text
    for text in (told.text, told.document):
        assert "unseen" not in text
        assert "777" not in text
    assert json.loads(told.document)["configurations"][0]["speedup"] == 2.0
