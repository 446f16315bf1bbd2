"""The program `aka` from outside: exit codes, what goes where, completion, and how quick help is."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentkernelarena.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Done:
    """What a call of the program left: as `subprocess.CompletedProcess`, which it stands for."""

    returncode: int
    stdout: str
    stderr: str


Aka = Callable[..., Done]


@pytest.fixture
def aka(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Aka:
    """The program's own `main` in this process: the same as a call, without a second of imports each time."""
    monkeypatch.setenv("COLUMNS", "100")
    terminate = signal.getsignal(signal.SIGTERM)

    def call(*arguments: str, **variables: str) -> Done:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        try:
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        finally:
            signal.signal(signal.SIGTERM, terminate)
        out, err = capfd.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return call


def in_a_process(command: str) -> subprocess.CompletedProcess[str]:
    """A shell command in which `aka` is the program."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    text = f'aka() {{ "{sys.executable}" -m agentkernelarena.cli "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, env=environment, timeout=120)


def test_help_names_every_command_with_the_summary_of_its_own_help(aka: Aka) -> None:
    done = aka("--help")
    assert done.returncode == 0
    for name, summary in COMMANDS.items():
        assert f"{name}  " in done.stdout
        assert summary in done.stdout
        assert summary in aka(name, "--help").stdout


def test_help_takes_less_than_300_ms_of_processor_time() -> None:
    # Processor time, not wall time: tests run beside each other.
    def spent_s() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert in_a_process("aka --help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(spent_s() for _ in range(3)) < 0.3


@pytest.mark.parametrize(
    ("arguments", "error", "remedy"),
    [
        (["tsk"], "error: aka: no such command 'tsk'", "--help"),
        (["task", "show"], "error: aka task show: missing argument", "aka task show --help"),
        (["task", "list", "--jsn"], "error: aka task list: no such option: --jsn", "aka task list --help"),
        (["task", "show", "hip2hip/rmsnrm"], "no operator 'rmsnrm'", "did you mean 'rmsnorm'?"),
        (["task", "show", "rmsnorm"], "is not of the form category/operator", "aka task list"),
        (["task", "list", "hop2hip/*"], "matches no task", "aka task list"),
        (["evaluate", "hip2hip/rmsnorm"], "missing option '--submission'", "aka evaluate --help"),
        (["evaluate", "hip2hip/rmsnorm", "--submission", "/absent"], "error: /absent: No such file", "kernel"),
        (["evaluate", "hip2hip/rmsnorm", "--submission", "baseline", "--target", "cppu"], "no 'cppu'", "'cpu'"),
        (["run", "--agent", "noop"], "no run file and no --tasks", "RUNFILE"),
        (["run", "/nonexistent.yaml"], "error: /nonexistent.yaml: No such file", "examples/run.yaml"),
        (["run", "--agent", "noop", "--tasks", "*", "--trials", "0"], "trials: input should be greater than", ""),
        (["run", "--agent", "nop", "--tasks", "*", "--target", "cpu"], "there is no 'nop'", "did you mean 'noop'?"),
        (["report", "/nonexistent"], "is not a run", "aka run"),
        (["resume", "/nonexistent"], "is not a run", "aka run"),
        (["verify", "/nonexistent"], "is not a run", "aka run"),
        (["compare", "/nonexistent", "/nonexistent"], "is not a run", "aka run"),
    ],
)
def test_bad_input_is_one_message_with_a_remedy_and_exit_code_2(
    aka: Aka, arguments: list[str], error: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = aka(*arguments)
    assert done.returncode == 2, done.stderr
    assert error in done.stderr
    assert done.stderr.startswith("error: ")
    assert f"remedy: {remedy}" in done.stderr or remedy in done.stderr.partition("remedy: ")[2]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "runs").exists(), "a run was begun in spite of the error"


def test_without_arguments_help_goes_to_stderr_with_exit_code_2(aka: Aka) -> None:
    done = aka()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: aka" in done.stderr


def test_errors_are_json_too_where_json_was_asked_for(aka: Aka) -> None:
    done = aka("task", "show", "hip2hip/rmsnrm", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["remedy"] == "did you mean 'rmsnorm'?"


def test_task_list_as_json_is_the_suite(aka: Aka) -> None:
    done = aka("task", "list", "--json")
    folders = sorted(p.parent.name for p in (ROOT / "suite").glob("*/*/operator.py"))
    listed = json.loads(done.stdout)
    assert [t["id"] for t in listed if t["id"].startswith("torch2hip/")] == [f"torch2hip/{name}" for name in folders]
    assert all(t["title"] and t["family"] for t in listed)


def test_task_show_gives_the_interface_and_the_configurations(aka: Aka) -> None:
    done = aka("task", "show", "hip2hip/rmsnorm")
    assert 'extern "C" void launch(' in done.stdout
    assert "int64_t cols" in done.stdout
    facts = json.loads(aka("task", "show", "triton2triton/rmsnorm", "--json").stdout)
    assert facts["interface"] == "def launch(x, weight, eps, y, rows, cols):"
    assert facts["smoke"] == {"rows": 5, "cols": 70, "dtype": "float32"}


def test_what_an_operator_file_prints_does_not_reach_the_json(aka: Aka, tmp_path: Path) -> None:
    folder = tmp_path / "normalization" / "rmsnorm"
    folder.mkdir(parents=True)
    for name in ("kernel.hip", "kernel.py"):
        (folder / name).write_bytes((ROOT / "suite/normalization/rmsnorm" / name).read_bytes())
    source = (ROOT / "suite/normalization/rmsnorm/operator.py").read_text()
    (folder / "operator.py").write_text(source + "\nprint('noise')\n")
    done = aka("evaluate", "hip2hip/rmsnorm", "--submission", "baseline", "--target", "cppu", "--json",
               AKA_SUITE=str(tmp_path))
    assert set(json.loads(done.stdout)) == {"error"}
    done = aka("task", "show", "hip2hip/rmsnorm", "--json", AKA_SUITE=str(tmp_path))
    assert json.loads(done.stdout)["id"] == "hip2hip/rmsnorm"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(aka: Aka, shell: str) -> None:
    done = aka("completion", shell)
    assert done.returncode == 0
    assert f"_AKA_COMPLETE=complete_{shell}" in done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("aka re", ["resume", "report"]),
        ("aka task show hip2hip/rmsn", ["hip2hip/rmsnorm"]),
        ("aka evaluate torch2hip/rmsn", ["torch2hip/rmsnorm"]),
        ("aka run --target cp", ["cpu"]),
        ("aka run --agent no", ["noop"]),
    ],
)
def test_completion_of_commands_task_ids_and_plug_ins(aka: Aka, words: str, expected: list[str]) -> None:
    number = str(len(words.split(" ")) - 1)
    done = aka(_AKA_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=number)
    assert done.stdout.split() == expected


def test_doctor_tells_what_works_as_text_and_as_json(aka: Aka) -> None:
    done = aka("doctor", "--target", "cpu", "--json")
    diagnosis = json.loads(done.stdout)
    assert diagnosis["target"] == "cpu"
    assert done.returncode == (0 if diagnosis["usable"] else 1)
    parts = {finding["part"]: finding for finding in diagnosis["findings"]}
    assert parts["agent noop"]["state"] == "ok"
    assert "operators" in parts["suite"]["detail"]
    assert all(finding["remedy"] for finding in parts.values() if finding["state"] == "missing")
    text = aka("doctor", "--target", "cpu")
    assert "target cpu" in text.stdout
    assert text.returncode == done.returncode


def test_a_closed_pipe_is_no_error() -> None:
    done = in_a_process("aka task list | head -1")
    assert done.stdout.startswith("task ")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
