"""The Python API: what is public, that it is typed, and that the example runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import agentkernelarena as aka

ROOT = Path(__file__).resolve().parents[2]


def test_every_public_name_resolves_and_is_listed() -> None:
    for name in aka.__all__:
        assert getattr(aka, name) is not None
        assert name in dir(aka)
    assert sorted(aka.__all__) == aka.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        aka.no_such_name


def test_run_stays_callable_after_its_package_was_imported() -> None:
    probe = (
        "import agentkernelarena.run.plan, agentkernelarena as aka\n"
        "try:\n    aka.run('noop', 'nothing/*', target='cpu')\n"
        "except aka.InputError as error:\n    print(error.problem)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, env=environment, check=True, cwd="/tmp",
    )
    assert done.stdout == "matches no task\n"


def test_load_task_gives_a_typed_task() -> None:
    task = aka.load_task("hip2hip/rmsnorm")
    assert isinstance(task, aka.Task)
    assert task.smoke.rows == 5
    assert "hip2hip/rmsnorm" in aka.task_ids()


def test_bad_input_is_an_input_error_with_a_remedy() -> None:
    with pytest.raises(aka.InputError) as caught:
        aka.load_task("hip2hip/rmsnrm")
    assert caught.value.remedy == "did you mean 'rmsnorm'?"
    with pytest.raises(aka.InputError, match="no device on this machine"):
        aka.evaluate("hip2hip/rmsnorm", "baseline", target="amd:gfx942")
    with pytest.raises(aka.InputError, match="No such file"):
        aka.evaluate("hip2hip/rmsnorm", "/nonexistent", target="cpu")


def test_evaluate_compile_only_names_the_line(tmp_path: Path) -> None:
    kernel = tmp_path / "mine.hip"
    kernel.write_text('#include "operator.h"\n\nint broken = "text";\n')
    judgement = aka.evaluate("hip2hip/rmsnorm", kernel, target="cpu", compile_only=True)
    assert isinstance(judgement, aka.Judgement)
    assert judgement.outcome.status is aka.Status.COMPILE_ERROR
    assert "kernel.hip:3" in judgement.outcome.reason
    assert [g.gate.value for g in judgement.gates] == ["compile"]


@pytest.mark.timeout(600)
def test_the_example_runs(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "evaluate.py"), str(tmp_path / "run")], capture_output=True, text=True,
        env=environment, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("hip2hip/softmax: ")
    assert lines[1] == "outcome: passed"
    assert any(", unseen (" in line and ": passed, " in line for line in lines)
    assert lines[-2:] == ["noop on hip2hip/softmax: passed", "everything passed: True"]
    assert (tmp_path / "run" / "run.json").exists()
