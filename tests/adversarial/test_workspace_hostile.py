"""A hostile agent finds nothing, changes nothing, and leaves nothing running."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentkernelarena import agent
from agentkernelarena.agent import AgentTask
from agentkernelarena.record import AgentSettings, Budget
from agentkernelarena.result import DeviceFacts, Outcome
from agentkernelarena.sandbox import ENGINES, Engine, Limits, package_folder
from agentkernelarena.submission import Submission, collect
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, ToolRequest, prepare

SECRET = "s3cret-of-another-trial-4711"
FACTS = DeviceFacts(target="cpu", name="test")


@pytest.fixture(params=["bwrap", "unshare"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if problem := ENGINES[request.param].problem():
        pytest.skip(f"{request.param}: {problem[0]}")
    return ENGINES[request.param]


def task_for(run: Path, engine: Engine, *argv: str, wall_s: float = 60.0, **more: object) -> AgentTask:
    trial = run / "trials" / "mine"
    trial.mkdir(parents=True)
    settings = AgentSettings(agent="command", command=argv)
    workspace = prepare(loader.load_task("hip2hip/rmsnorm"), FACTS, Budget(wall_s=wall_s), trial / "work", engine)
    return AgentTask(workspace, settings, Budget(wall_s=wall_s), engine, trial, **more)  # type: ignore[arg-type]


def running(mark: str) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"sleep\0{mark}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def test_a_hostile_agent_gets_nowhere(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    other = run / "trials" / "other" / "submission"
    other.mkdir(parents=True)
    for path in (other / "kernel.hip", run / "seed", run / "run.json"):
        path.write_text(SECRET)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    mark, canary = f"5{os.getpid()}", tmp_path / "owned"
    with (socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract,
          subprocess.Popen(["sleep", "300"], env={"KEY": SECRET}) as victim):
        abstract.bind(f"\0aka-test-{os.getpid()}")
        abstract.listen()
        host = {"secret": SECRET, "run": str(run), "package": str(package_folder()), "suite": str(loader.suite_root()),
                "port": tcp.getsockname()[1], "abstract": f"aka-test-{os.getpid()}", "pid": victim.pid,
                "mark": mark, "canary": str(canary)}
        # The secret has to come as an argument so that the agent can tell that it found it elsewhere; not whole.
        program = Path(__file__).with_name("hostile_agent.py").read_text()
        task = task_for(run, engine, "python3", "hostile.py", json.dumps({**host, "secret": SECRET[::-1]}))
        (task.workspace.folder / "hostile.py").write_text(program.replace(
            "done = {}", "HOST['secret'] = HOST['secret'][::-1]\ndone = {}"))
        status = agent.load("command").solve(task)
        assert victim.poll() is None
        victim.kill()
    assert status.status == "completed", (task.trial / "agent.log").read_text()
    report = json.loads((task.workspace.folder / "report.json").read_text())
    assert len(report) == 10
    assert {what: how for what, how in report.items() if how} == {}
    assert running(mark) == []
    assert (run / "run.json").read_text() == SECRET
    assert not canary.exists()
    for folder in (run, Path(sys.prefix), package_folder()):
        assert not (folder / "sitecustomize.py").exists()


def test_what_it_plants_stays_behind_and_is_listed(tmp_path: Path, engine: Engine) -> None:
    canary = tmp_path / "owned"
    task = task_for(tmp_path / "run", engine, "python3", "hostile.py", json.dumps({
        "secret": "x", "run": "/nowhere", "package": "/nowhere", "suite": "/nowhere", "port": 1, "abstract": "none",
        "pid": 999999, "mark": f"4{os.getpid()}", "canary": str(canary)}))
    shutil.copy(Path(__file__).with_name("hostile_agent.py"), task.workspace.folder / "hostile.py")
    agent.load("command").solve(task)
    frozen = collect(task.workspace.folder, task.category)
    assert isinstance(frozen, Submission)
    # Its own program is Python source and belongs to it like any added source; nobody imports it.
    assert set(frozen.files) == {"kernel.hip", "more.h", "hostile.py"}
    assert frozen.files["kernel.hip"] == task.workspace.start["kernel.hip"]
    told = "\n".join(frozen.refused)
    for part in ("sitecustomize.py: would hide", "torch.py: would hide", "triton/__init__.py: would hide",
                 "run.h: is a symbolic link", "shadow.h: is a symbolic link", "pipe.h: is not a regular file"):
        assert part in told
    # Work in the folder afterwards, as somebody who looks at a trial would: with a Python that ignores it.
    subprocess.run([sys.executable, "-I", "-c", "import json"], cwd=task.workspace.folder, check=True)
    assert not canary.exists()


def test_a_fake_aka_fools_nobody_but_its_author(tmp_path: Path, engine: Engine) -> None:
    script = "printf '#!/bin/sh\\necho passed; exit 0\\n' > aka; ./aka check"
    task = task_for(tmp_path / "run", engine, "sh", "-c", script)
    with Broker(task.workspace, lambda r, s: ToolAnswer(False, "incorrect", "no", "{}")) as broker:
        agent.load("command").solve(task)
    assert broker.calls == ()
    assert isinstance(collect(task.workspace.folder, task.category), Submission)


def test_the_kernel_as_a_link_to_a_secret_is_no_submission(tmp_path: Path, engine: Engine) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    for trick in (f"ln -sf {secret} kernel.hip", "rm kernel.hip; ln -s /proc/self/environ kernel.hip",
                  "rm kernel.hip; mkfifo kernel.hip", "rm kernel.hip; ln -s . kernel.hip"):
        run = tmp_path / str(abs(hash(trick)))
        task = task_for(run, engine, "sh", "-c", trick)
        agent.load("command").solve(task)
        assert isinstance(collect(task.workspace.folder, task.category), Outcome)


def test_swapping_files_under_the_brokers_hands_leaks_nothing(tmp_path: Path, engine: Engine) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    swap = (f"import os\nfor n in range(10**7):\n os.symlink({str(secret)!r}, 'a'); os.replace('a', 'kernel.hip')\n"
            " open('b', 'w').write('// ok'); os.replace('b', 'kernel.hip')\n")
    task = task_for(tmp_path / "run", engine, "python3", "-c", swap, wall_s=3.0)
    seen: list[bytes] = []

    def judge(request: ToolRequest, submission: Submission) -> ToolAnswer:
        seen.extend(submission.files.values())
        return ToolAnswer(True, "passed", "", "{}")

    with Broker(task.workspace, judge):
        solving = threading.Thread(target=agent.load("command").solve, args=(task,))
        solving.start()
        while solving.is_alive():
            subprocess.run(["./aka", "check"], cwd=task.workspace.folder, capture_output=True) if (
                not engine.has_namespace) else _ask(task)
        solving.join()
    assert len(seen) > 5
    assert SECRET.encode() not in b"".join(seen)


def _ask(task: AgentTask) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        folder = os.open(task.workspace.run, os.O_RDONLY)
        client.connect(f"/proc/self/fd/{folder}/broker.sock")
        os.close(folder)
        client.sendall(b'{"command": "check"}\n')
        client.recv(65536)


def test_a_full_disk_ends_the_agent_and_not_the_machine(tmp_path: Path, engine: Engine) -> None:
    script = "n=0; while :; do head -c 20000000 /dev/zero > junk$n || exit; n=$((n+1)); done"
    task = task_for(tmp_path / "run", engine, "sh", "-c", script, limits=Limits(disk_mib=200, file_mib=64))
    started = time.monotonic()
    status = agent.load("command").solve(task)
    assert (status.status, status.reason) == ("limit", "the limit of disk was exceeded")
    assert time.monotonic() - started < 30
    assert isinstance(collect(task.workspace.folder, task.category), Submission)


def test_a_fork_bomb_ends_in_time(tmp_path: Path, engine: Engine) -> None:
    mark = f"3{os.getpid()}"
    bomb = f"f() {{ f | f & }}; (f) 2>/dev/null; setsid sleep {mark} & while :; do setsid sleep {mark} & done"
    limits = Limits(processes=100, memory_mib=1024)
    task = task_for(tmp_path / "run", engine, "sh", "-c", bomb, wall_s=2.0, limits=limits)
    started = time.monotonic()
    status = agent.load("command").solve(task)
    assert status.status in ("timeout", "crashed", "limit")
    assert time.monotonic() - started < 15
    assert running(mark) == []


def test_a_stuck_and_deaf_agent_is_ended_in_time(tmp_path: Path, engine: Engine) -> None:
    deaf = ("import signal, os\nfor n in range(1, 65):\n try: signal.signal(n, signal.SIG_IGN)\n"
            " except Exception: pass\nos.close(1); os.close(2)\nwhile True: pass")
    task = task_for(tmp_path / "run", engine, "python3", "-c", deaf, wall_s=2.0)
    started = time.monotonic()
    assert agent.load("command").solve(task).status == "timeout"
    assert time.monotonic() - started < 8
