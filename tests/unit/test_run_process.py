"""Ending process trees, tried on real ones."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

from agentkernelarena.run.process import MARK, end_marked

# A worker with a child, and a grandchild in a session of its own whose parent exits at once.
_TREE = """
import os, subprocess, sys, time
from agentkernelarena.run.process import adopt_orphans, end_descendants
adopt_orphans()
child = subprocess.Popen(["sleep", "60"], stdout=2)
script = "import subprocess as s; p = s.Popen(['sleep', '60'], stdout=2, start_new_session=True); print(p.pid)"
orphan = subprocess.run([sys.executable, "-c", script], stdout=-1, text=True).stdout.strip()
print(child.pid, orphan, flush=True)
end_descendants()
print("ended", flush=True)
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_children_and_daemonised_grandchildren_are_ended() -> None:
    done = subprocess.run([sys.executable, "-c", _TREE], capture_output=True, text=True, timeout=30, check=True)
    pids, ended = done.stdout.splitlines()
    assert ended == "ended"
    assert len(pids.split()) == 2
    assert not any(is_running(int(pid)) for pid in pids.split())


def test_marked_processes_are_ended_and_others_are_not() -> None:
    mark = secrets.token_hex(8)
    marked = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark})
    other = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: secrets.token_hex(8)})
    try:
        end_marked(mark)
        assert marked.wait(5) == -9
        time.sleep(0.05)
        assert other.poll() is None
    finally:
        for process in (marked, other):
            process.kill()
            process.wait()


def test_nothing_is_recorded_once_a_worker_is_ending() -> None:
    script = (
        "import threading\n"
        "from agentkernelarena.run.process import ENDING, stop_if_ending\n"
        "stop_if_ending(); print('went on')\n"
        "ENDING.set()\n"
        "held = threading.Thread(target=stop_if_ending, daemon=True); held.start(); held.join(0.3)\n"
        "print('held' if held.is_alive() else 'recorded')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:2] == ["went on", "held"]
