"""What lies in a workspace, and that it says neither more nor less than the task does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.record import Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES, Engine, launch
from agentkernelarena.submission import Submission, collect
from agentkernelarena.task import abi, loader
from agentkernelarena.workspace import Workspace, prepare

FACTS = DeviceFacts(target="nvidia:sm_90", name="Test GPU", architecture="sm_90", wavefront=32, compute_units=132,
                    copy_gb_per_s=4000.0, rates_tflops={"bfloat16": 790.0}, notes=("clocks are not locked",))


def make(folder: Path, task_id: str = "hip2hip/rmsnorm", engine: str = "none", **more: object) -> Workspace:
    task = loader.load_task(task_id)
    return prepare(task, FACTS, Budget(wall_s=900, turns=40), folder, ENGINES[engine], **more)  # type: ignore[arg-type]


@pytest.fixture(params=["bwrap", "unshare"])
def confining(request: pytest.FixtureRequest) -> Engine:
    engine = ENGINES[request.param]
    if problem := engine.problem():
        pytest.skip(f"{engine.name}: {problem[0]}")
    return engine


@pytest.mark.parametrize(("task_id", "files"), [
    ("hip2hip/rmsnorm", {"kernel.hip", "operator.h"}), ("torch2hip/rmsnorm", {"kernel.hip", "operator.h"}),
    ("triton2triton/rmsnorm", {"kernel.py"}),
])
def test_the_files_are_those_of_the_category(tmp_path: Path, task_id: str, files: set[str]) -> None:
    workspace = make(tmp_path / "w", task_id)
    common = {"TASK.md", "reference.py", "configurations.json", "aka"}
    assert {p.name for p in workspace.folder.iterdir()} == common | files


def test_contents_come_from_the_pristine_task(tmp_path: Path) -> None:
    task = loader.load_task("hip2hip/rmsnorm")
    folder = make(tmp_path / "w").folder
    assert (folder / "kernel.hip").read_bytes() == (task.folder / "kernel.hip").read_bytes()
    assert (folder / "reference.py").read_bytes() == (task.folder / "operator.py").read_bytes()
    assert (folder / "operator.h").read_text() == abi.header(task)
    written = json.loads((folder / "configurations.json").read_text())
    assert written == {name: dict(values) for name, values in task.operator.seen.items()}


def test_torch2hip_starts_from_the_prototype_and_shows_no_kernel(tmp_path: Path) -> None:
    text = (make(tmp_path / "w", "torch2hip/rmsnorm").folder / "kernel.hip").read_text()
    assert "launch(" in text
    assert "__global__" not in text


@pytest.mark.parametrize("task_id", ["hip2hip/rmsnorm", "triton2triton/rmsnorm", "torch2hip/rmsnorm"])
def test_the_task_text_holds_every_fact(tmp_path: Path, task_id: str) -> None:
    task = loader.load_task(task_id)
    text = (make(tmp_path / "w", task_id).folder / "TASK.md").read_text()
    prototype = abi.prototype(task) if "hip/" in task_id else abi.signature(task)
    expected = [
        task_id, task.operator.title, prototype, task.operator.constraint,
        "`dtype` is one of float32, float16, bfloat16",
        "rows: 1 to 131072", *task.seen, "132", "wavefront: 32", "4000 GB/s", "790.0 TFLOP/s", "clocks are not locked",
        "15 minutes", "40 turns", "./aka check",
    ]
    assert [e for e in expected if e not in text] == []
    for cfg in task.seen.values():
        assert " | ".join(str(v) for v in cfg.values()) in text
    assert "{{" not in text
    assert "\n\n\n" not in text
    assert max(len(line) for line in text.splitlines()) < 200


def test_the_text_is_the_same_every_time_and_names_no_path_of_this_machine(tmp_path: Path) -> None:
    first, second = make(tmp_path / "a"), make(tmp_path / "b")
    text = (first.folder / "TASK.md").read_text()
    assert text == (second.folder / "TASK.md").read_text()
    assert str(tmp_path) not in text


def test_every_task_of_the_suite_can_be_laid_out(tmp_path: Path) -> None:
    tasks = loader.task_ids()
    for number, task_id in enumerate(tasks):
        workspace = make(tmp_path / str(number), task_id)
        result = collect(workspace.folder, workspace.category)
        assert isinstance(result, Submission)
        assert dict(result.files) == dict(workspace.start)
        assert result.refused == ()
    assert tasks


def test_only_the_told_configurations_are_named(tmp_path: Path) -> None:
    task = loader.load_task("hip2hip/rmsnorm")
    workspace = make(tmp_path / "w", seen={"tiny": task.smoke})
    assert json.loads((workspace.folder / "configurations.json").read_text()) == {"tiny": dict(task.smoke)}
    assert workspace.seen == ("tiny",)
    assert "Llama-3 70B prefill" not in (workspace.folder / "TASK.md").read_text()


def test_template_and_guidance_can_be_replaced(tmp_path: Path) -> None:
    template = tmp_path / "mine.j2"
    template.write_text("# {{ task.id }}\n{{ guidance }}\n")
    workspace = make(tmp_path / "w", template=template, guidance="Use tiles.")
    assert (workspace.folder / "TASK.md").read_text() == "# hip2hip/rmsnorm\nUse tiles.\n"
    template.write_text("{{ no_such_thing }}")
    with pytest.raises(InputError, match="no_such_thing"):
        make(tmp_path / "x", template=template)


def test_extra_files_are_laid_in_but_replace_nothing(tmp_path: Path) -> None:
    workspace = make(tmp_path / "w", extra={"skill/notes.md": b"read me"})
    assert (workspace.folder / "skill" / "notes.md").read_bytes() == b"read me"
    for name in ("aka", "kernel.hip", "operator.py", "../out", "/etc/x"):
        with pytest.raises(InputError):
            make(tmp_path / name.strip("./").replace("/", "-"), extra={name: b""})


def test_a_used_folder_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "w")
    with pytest.raises(InfrastructureError):
        make(tmp_path / "w")


def test_python_works_inside_and_the_harness_is_out_of_sight(tmp_path: Path, confining: Engine) -> None:
    workspace = make(tmp_path / "w", engine=confining.name)
    code = ("import operator, collections, json; print(operator.add(1, 2))\n"
            "try:\n import agentkernelarena.task\n print('SEEN')\nexcept ImportError: print('hidden')")
    (workspace.folder / "try.py").write_text(code)
    package = Path(loader.__file__).parents[1]
    script = (f"python3 try.py; pwd; ls {package} {loader.suite_root()} 2>/dev/null; cat /run/aka/* 2>/dev/null;"
              "touch /run/aka/x 2>/dev/null && echo WROTE; touch here && echo wrote")
    with launch(confining, workspace.spec(), ["sh", "-c", script]) as process:
        assert process.stdout is not None
        assert process.stdout.read().decode().split() == ["3", "hidden", "/workspace", "wrote"]
    assert (workspace.folder / "here").exists()


def test_clearing_leaves_the_workspace_only(tmp_path: Path) -> None:
    workspace = make(tmp_path / "w")
    workspace.clear()
    assert [p.name for p in (tmp_path / "w").iterdir()] == ["workspace"]


def test_aka_explains_itself_and_says_when_nobody_answers(tmp_path: Path) -> None:
    folder = make(tmp_path / "w").folder
    asked = subprocess.run(["./aka", "--help"], cwd=folder, capture_output=True, text=True)
    assert asked.returncode == 0
    assert "./aka check|time|profile" in asked.stdout
    for argv, status in (([], 2), (["win"], 2), (["check", "--all"], 2), (["check"], 3)):
        assert subprocess.run(["./aka", *argv], cwd=folder, capture_output=True).returncode == status


def test_aka_works_from_a_deep_folder_with_odd_characters(tmp_path: Path) -> None:
    folder = make(tmp_path / ("it's a deep folder " * 4) / ("x" * 120)).folder
    done = subprocess.run(["./aka", "check"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 3
    assert "the judge is not available" in done.stderr
    assert sys.executable in (folder / "aka").read_text()
