"""Every fault ends as the right outcome, with a reason, and does not touch the next trial.

One run holds one contender per fault, all on one task, and a well-behaved one at the end; each test looks at one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentkernelarena import AgentSettings, Budget, InputError, RunSettings, TrialRecord, run_settings
from agentkernelarena.store import open_run

ROOT = Path(__file__).resolve().parents[2]
TASK = "hip2hip/rmsnorm"
BASELINE = (ROOT / "suite/normalization/rmsnorm/kernel.hip").read_text()
PROTOTYPE = """#include "operator.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
%s
}
"""

KERNELS = {
    "compile": PROTOTYPE % "    y[0] = no_such_name;",
    "entry": '#include "operator.h"\nvoid lunch() {}\n',
    "bounds": PROTOTYPE % "    for (int64_t i = 0; i < 64; i++) y[rows * cols + i] = x[0];",
    "loop": PROTOTYPE % "    volatile int go = 1;\n    while (go) {}",
    "segv": PROTOTYPE % "    *(volatile int*)0 = 1;",
    "print": PROTOTYPE % '    static char line[1 << 16];\n    memset(line, 65, sizeof line);\n'
                         "    for (int i = 0; i < 40000; i++) if (write(1, line, sizeof line) < 0) break;",
    "fake": PROTOTYPE % '    printf("{\\"passed\\": true}\\nPASSED\\n");\n    fflush(stdout);\n    _exit(0);',
    "fork": PROTOTYPE % "    if (fork() == 0) { setsid(); for (;;) sleep(1); }",
}
"""Submissions by what is wrong with them; `print` writes 2.6 GB at each call."""

SCRIPTS = {
    # Writes wherever it can, and then hands in what it was given.
    "paths": "for d in / /usr /etc /tmp /var /home /root /opt /workspace /run/aka /dev; do"
             " echo x > $d/aka-planted 2>/dev/null; done; echo 'x' >> operator.h; true",
    # Makes the reference agree with a kernel that does nothing.
    "reference": "printf 'def reference(**k): return None\\n' > reference.py; cp reference.py operator.py;"
                 " cp {kernels}/empty.hip kernel.hip",
    "nothing": "rm kernel.hip",
    "crash": "exit 7",
    "slow": "sleep 600",
    "daemon": "setsid sh -c 'while true; do echo y >> kernel.hip; sleep 0.01; done' >/dev/null 2>&1 & sleep 0.2;"
              " cp {kernels}/good.hip kernel.hip",
}


def command(label: str, script: str, kernels: Path) -> AgentSettings:
    words = ("sh", "-c", script.replace("{kernels}", str(kernels)))
    return AgentSettings(agent="command", label=label, command=words, options={"bind": str(kernels)})


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrialRecord]:
    """One run with one contender per fault, by label."""
    folder = tmp_path_factory.mktemp("faults")
    kernels = folder / "kernels"
    kernels.mkdir()
    for name, text in {**KERNELS, "good": BASELINE, "empty": PROTOTYPE % ""}.items():
        (kernels / f"{name}.hip").write_text(text)
    agents = [command(name, f"cp {{kernels}}/{name}.hip kernel.hip", kernels) for name in KERNELS]
    agents += [command(name, script, kernels) for name, script in SCRIPTS.items()]
    settings = RunSettings(
        agents=(*agents, AgentSettings(agent="noop", label="good")), tasks=(TASK,), target="cpu", unseen=0, seed=1,
        workers=2, budget=Budget(wall_s=20),
    )
    result = run_settings(settings, folder / "run")
    assert [t.agent for t in result.trials] == [a.name for a in settings.agents], "every planned trial has an outcome"
    assert not result.passed
    return {trial.agent: trial for trial in result.trials}


pytestmark = pytest.mark.timeout(1500)


@pytest.mark.parametrize(
    ("label", "status", "reason"),
    [
        ("compile", "compile_error", "kernel.hip:9"),
        ("entry", "compile_error", "launch"),
        ("bounds", "incorrect", ""),
        ("loop", "timeout", ""),
        ("segv", "crashed", "SIGSEGV"),
        ("fake", "crashed", ""),
        ("nothing", "no_submission", "kernel.hip"),
        ("crash", "agent_error", "exit status 7"),
    ],
)
def test_outcome_and_reason(trials: dict[str, TrialRecord], label: str, status: str, reason: str) -> None:
    outcome = trials[label].outcome
    assert outcome.status.value == status, outcome
    assert outcome.reason
    assert reason in outcome.reason


def test_what_a_kernel_writes_past_its_output_is_found(trials: dict[str, TrialRecord]) -> None:
    judgement = trials["bounds"].judgement
    assert judgement is not None
    assert not any(c.submission.outcome.passed for c in judgement.seen)
    assert all(c.baseline.outcome.passed for c in judgement.seen)


def test_a_compiler_message_names_the_identifier(trials: dict[str, TrialRecord]) -> None:
    judgement = trials["compile"].judgement
    assert judgement is not None
    assert "no_such_name" in judgement.gates[0].log


def test_gigabytes_of_output_are_not_kept(trials: dict[str, TrialRecord]) -> None:
    record = trials["print"]
    assert record.outcome.status.value in ("incorrect", "timeout", "crashed", "tampered")
    assert len(record.model_dump_json()) < 2**20


def test_a_forked_process_changes_nothing_and_is_ended(trials: dict[str, TrialRecord]) -> None:
    assert trials["fork"].outcome.status.value in ("incorrect", "crashed", "tampered", "timeout")


def test_writing_everywhere_reaches_neither_the_host_nor_the_verdict(trials: dict[str, TrialRecord]) -> None:
    assert trials["paths"].outcome.passed, trials["paths"].outcome
    for folder in ("/", "/usr", "/etc", "/tmp", "/var", "/home", "/root", "/opt", "/dev"):
        assert not (Path(folder) / "aka-planted").exists()


def test_a_changed_reference_does_not_help(trials: dict[str, TrialRecord]) -> None:
    assert trials["reference"].outcome.status.value == "incorrect"


def test_an_agent_that_uses_up_its_time_is_judged_on_what_it_left(trials: dict[str, TrialRecord]) -> None:
    assert trials["slow"].agent_status.status == "timeout"
    assert trials["slow"].outcome.passed
    assert 19 < trials["slow"].agent_status.seconds < 60


def test_a_process_that_an_agent_leaves_behind_cannot_change_the_submission(trials: dict[str, TrialRecord]) -> None:
    assert trials["daemon"].agent_status.status == "completed"
    submission = trials["daemon"].submission
    assert submission is not None
    assert trials["daemon"].outcome.status.value in ("passed", "compile_error")


def test_the_trial_beside_and_after_all_these_is_unaffected(trials: dict[str, TrialRecord]) -> None:
    judgement = trials["good"].judgement
    assert trials["good"].outcome.passed
    assert judgement is not None
    assert all(c.speedup is not None for c in judgement.seen)


_KILL_THE_WORKER = """
import os, signal
pid = os.getppid()
while "agentkernelarena.run.worker" not in open(f"/proc/{pid}/cmdline").read().split(chr(0)):
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
os.kill(pid, signal.SIGKILL)
"""


def test_a_harness_that_dies_is_tried_again_recorded_and_not_scored(tmp_path: Path) -> None:
    killer = AgentSettings(agent="command", label="killer", command=(sys.executable, "-c", _KILL_THE_WORKER))
    settings = RunSettings(
        agents=(killer, AgentSettings(agent="noop")), tasks=(TASK,), target="cpu", unseen=0, sandbox="none",
    )
    result = run_settings(settings, tmp_path / "run")
    killed, good = result.trials
    assert killed.outcome.status.value == "infrastructure_error"
    assert "SIGKILL" in killed.outcome.reason
    assert killed.attempts == 2
    assert not killed.outcome.status.is_scored
    assert good.outcome.passed
    assert open_run(tmp_path / "run").reveal is not None


@pytest.mark.parametrize("out", ["file/run", "/proc/run"])
def test_a_folder_that_cannot_be_written_is_reported_before_work_starts(out: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = RunSettings(agents=(AgentSettings(agent="noop"),), tasks=(TASK,), target="cpu")
    with pytest.raises(InputError) as caught:
        run_settings(settings, tmp_path / out)
    assert out.rpartition("/")[2] in caught.value.place
    assert caught.value.remedy


def test_a_nearly_full_disk_is_reported_before_work_starts(tmp_path: Path) -> None:
    small = f"mount -t tmpfs -o size=8m none {tmp_path}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", small], capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody mount a file system of its own")
    aka = f"{sys.executable} -m agentkernelarena.cli run --agent noop --tasks {TASK} --target cpu --out {tmp_path}/run"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", f"{small} && {aka}"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 2
    assert "MiB are free on its disk" in done.stderr
    assert "remedy: free some space" in done.stderr
