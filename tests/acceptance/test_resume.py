"""Interrupting a run in every way, and going on with it: nothing is left behind, nothing finished is repeated."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentkernelarena import AgentSettings, InputError, RunSettings, resume, run_settings
from agentkernelarena.report import verify
from agentkernelarena.run.event import Event, TrialEnded
from agentkernelarena.store import Store, open_run

ROOT = Path(__file__).resolve().parents[2]
TASK = "hip2hip/rmsnorm"
pytestmark = pytest.mark.timeout(900)


def start(out: Path, *arguments: str) -> subprocess.Popen[str]:
    """`aka run` in a process of its own; the task and target are settled."""
    words = [sys.executable, "-m", "agentkernelarena.cli", "run", "--tasks", TASK, "--target", "cpu", "--unseen", "0",
             "--out", str(out), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    # A shell starts its background jobs with SIGINT ignored, and children inherit that: these shall hear it.
    hears = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=hears)


def descendants(root: int) -> set[int]:
    """Every process below `root`, whatever namespace it is in."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def identity(pid: int) -> str | None:
    """Start time of a living process: a number that is used again does not pass for the same process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def wait_until(condition: Callable[[], bool], timeout_s: float, what: str) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, f"not within {timeout_s} s: {what}"
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[str], number: int) -> str:
    """Send a signal; wait for the end of the program and of all that it had started; return its standard error."""
    family = {pid: identity(pid) for pid in descendants(process.pid)}
    assert family, "nothing was going on"
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    wait_until(lambda: all(identity(p) != i for p, i in family.items() if i), 20, "all processes are gone")
    return errors


def finished(out: Path) -> dict[str, str]:
    """Digest of every finished trial's record."""
    return {
        f.parent.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted((out / "trials").glob("*/trial.json"))
    }


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_goes_on_where_it_was(number: int, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(out, "--agent", "noop", "--trials", "6", "--workers", "1")
    wait_until(lambda: bool(finished(out)) or process.poll() is not None, 300, "the first trial is finished")
    errors = interrupt(process, number)
    before = finished(out)
    assert 1 <= len(before) < 6
    assert not (out / "reveal.json").exists(), "the seed is revealed before the run has ended"
    assert (out / "seed").stat().st_mode & 0o077 == 0, "others can read the seed"
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert f"To go on: aka resume {shlex.quote(str(out))}" in errors
        assert "Traceback" not in errors

    worked_on: list[str] = []

    def note(event: Event) -> None:
        if isinstance(event, TrialEnded):
            worked_on.append(event.trial)

    result = resume(out, observer=note)
    after = finished(out)
    assert {name: after[name] for name in before} == before, "a finished trial was touched"
    assert sorted(worked_on) == sorted(set(after) - set(before))
    assert len(result.trials) == 6
    assert result.passed
    assert not (out / "seed").exists()
    assert verify(open_run(out)) == []


def test_the_agents_work_is_not_lost_when_judging_is_interrupted(tmp_path: Path) -> None:
    out, count = tmp_path / "run", tmp_path / "count"
    process = start(out, "--agent", "command", "--sandbox", "none", "--command", f"sh -c 'echo once >> {count}'")
    wait_until(lambda: any(out.glob("trials/*/handed_in.json")) or process.poll() is not None, 120, "handed in")
    interrupt(process, signal.SIGKILL)
    assert not finished(out)
    assert resume(out).passed
    assert count.read_text() == "once\n"


def test_an_agent_that_is_interrupted_starts_anew_and_leaves_nothing_running(tmp_path: Path) -> None:
    out, ready = tmp_path / "run", tmp_path / "ready"
    script = f"echo again >> {ready}; [ $(wc -l < {ready}) -gt 1 ] || sleep 300"
    process = start(out, "--agent", "command", "--sandbox", "none", "--command", f"sh -c {shlex.quote(script)}")
    wait_until(lambda: ready.exists() or process.poll() is not None, 120, "the agent works")
    interrupt(process, signal.SIGKILL)
    assert resume(out).passed
    assert ready.read_text() == "again\nagain\n"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    out = tmp_path_factory.mktemp("done") / "run"
    settings = RunSettings(agents=(AgentSettings(agent="noop"),), tasks=(TASK,), target="cpu", unseen=0)
    assert run_settings(settings, out).passed
    return out


def test_resuming_a_finished_run_does_nothing(done: Path) -> None:
    before = {f: f.read_bytes() for f in done.rglob("*.json")}
    assert resume(done).passed
    assert {f: f.read_bytes() for f in done.rglob("*.json")} == before


def test_a_folder_that_holds_a_run_is_not_written_over(done: Path) -> None:
    settings = RunSettings(agents=(AgentSettings(agent="noop"),), tasks=(TASK,), target="cpu")
    with pytest.raises(InputError, match="already holds a run"):
        run_settings(settings, done)


def test_two_processes_do_not_work_on_one_run(done: Path) -> None:
    with Store(done).exclusive(), pytest.raises(InputError, match="another process works on this run"):
        resume(done)


def test_a_run_whose_suite_has_changed_is_not_resumed(done: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    subprocess.run(["cp", "-r", str(ROOT / "suite"), str(suite)], check=True)
    kernel = suite / "normalization" / "rmsnorm" / "kernel.hip"
    kernel.write_text(kernel.read_text() + "\n// changed\n")
    done_ = subprocess.run(
        [sys.executable, "-m", "agentkernelarena.cli", "resume", str(done)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "AKA_SUITE": str(suite)},
    )
    assert done_.returncode == 2
    assert f"the suite has changed since: {TASK}" in done_.stderr


def test_a_seed_that_is_not_the_committed_one_is_refused(done: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    subprocess.run(["cp", "-r", str(done), str(copy)], check=True)
    reveal = (copy / "reveal.json").read_text()
    seed = Store(copy).reveal
    assert seed is not None
    (copy / "reveal.json").write_text(reveal.replace(seed.seed, "0" * 64))
    with pytest.raises(InputError, match="does not match the commitment"):
        resume(copy)
