"""The whole flow through the command line: from operator folders to reports that agree with each other."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentkernelarena.commitment import RunSeed
from agentkernelarena.store import Store
from agentkernelarena.submission import from_path
from agentkernelarena.task import loader

ROOT = Path(__file__).resolve().parents[2]
TASKS = ["hip2hip/swiglu", "torch2hip/swiglu", "triton2triton/swiglu"]
UNSEEN = 2
pytestmark = pytest.mark.timeout(1200)


def aka(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentkernelarena.cli", *arguments], capture_output=True, text=True, cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200"}, stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """One run from a run file with flags on top, two trials at a time; its folder is the default one."""
    cwd = tmp_path_factory.mktemp("flow")
    (cwd / "run.yaml").write_text(
        f'agents: [replay]\ntasks: ["*/swiglu"]\ntarget: cpu\nunseen: 9\nbudget: {{wall_s: 60}}\nworkers: {UNSEEN}\n'
    )
    done = aka("run", "run.yaml", "--unseen", str(UNSEEN), "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    runs = list((cwd / "runs").iterdir())
    assert len(runs) == 1
    return done, runs[0]


def test_the_report_is_the_only_thing_on_standard_output(flow: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, folder = flow
    report = json.loads(done.stdout)
    assert (report["planned"], report["finished"], report["target"], report["ranked"]) == (3, 3, "cpu", False)
    assert [t["task"] for t in report["agents"][0]["tasks"]] == TASKS
    assert report["unseen"] == UNSEEN
    assert all(t["passed"] == t["planned"] == 1 for t in report["agents"][0]["tasks"])
    assert f"report: {folder}/report.html" in done.stderr
    assert done.stderr.count("passed  ") == 3


def test_the_folder_holds_everything_and_nothing_of_the_workspaces(
    flow: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, folder = flow
    assert {p.name for p in folder.iterdir()} == {"lock", "report.html", "reveal.json", "run.json", "trials"}
    for trial in Store(folder).trials():
        held = {p.name for p in (folder / "trials" / trial.id).iterdir()}
        assert held >= {"trial.json", "handed_in.json", "submission", "diff.patch"}
        assert "work" not in held
        category = loader.categories()[trial.task.partition("/")[0]]
        frozen = from_path(folder / "trials" / trial.id / "submission", category.entry)
        assert trial.submission is not None
        assert trial.submission.digest == frozen.digest == trial.judgement.submission_digest  # type: ignore[union-attr]
        baseline = (ROOT / "suite/elementwise/swiglu" / category.entry).read_bytes()
        assert frozen.files == {category.entry: baseline}, "replay hands in the suite's own kernel"


def test_every_trial_was_judged_on_seen_and_unseen_configurations(
    flow: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, folder = flow
    drawn = set()
    for trial in Store(folder).trials():
        judgement = trial.judgement
        assert judgement is not None
        assert len(judgement.seen) >= 2
        assert [c.name for c in judgement.unseen] == ["unseen-1", "unseen-2"]
        assert [g.gate.value for g in judgement.gates] == ["compile", "correctness", "performance"]
        for found in judgement.configurations:
            assert found.submission.outcome.passed
            assert found.submission.error_ratio is not None
            assert 0 <= found.submission.error_ratio <= 1
            assert len(found.submission.samples.time_us) >= 2
        drawn.add(json.dumps([c.configuration for c in judgement.unseen]))
    assert len(drawn) == 3, "each task has its own draw"


def test_the_seed_opens_the_commitment(flow: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    store = Store(flow[1])
    reveal = store.reveal
    assert reveal is not None
    seed = RunSeed.from_reveal(reveal, store.run.settings.draw)
    assert seed.commitment == store.run.commitment
    done = aka("verify", str(flow[1]))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "everything agrees")


def test_an_altered_record_does_not_verify(
    flow: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "run"
    subprocess.run(["cp", "-r", str(flow[1]), str(copy)], check=True)
    record = next((copy / "trials").glob("hip2hip*/trial.json"), None) or next((copy / "trials").glob("*/trial.json"))
    text = record.read_text()
    speedup = json.loads(text)["judgement"]["configurations"][0]["speedup"]
    record.write_text(text.replace(f'"speedup": {speedup}', f'"speedup": {speedup * 2}', 1))
    done = aka("verify", str(copy), "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert not found["passed"]
    assert any("speedup" in p["problem"] or "speedup" in p["place"] for p in found["problems"])
    assert any("altered" in p["problem"] for p in found["problems"])


def test_all_forms_of_the_report_say_the_same(flow: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, folder = flow
    speedups = {}
    for trial in Store(folder).trials():
        ratios = [c.speedup for c in trial.judgement.seen if c.speedup]  # type: ignore[union-attr]
        speedups[trial.task] = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    rows = list(csv.DictReader(io.StringIO(aka("report", str(folder), "--format", "csv").stdout)))
    assert {row["task"]: float(row["seen_speedup"]) for row in rows} == pytest.approx(speedups, rel=1e-5)
    report = json.loads(aka("report", str(folder), "--json").stdout)
    found = {t["task"]: t["generalisation"]["seen"]["value"] for t in report["agents"][0]["tasks"]}
    assert found == pytest.approx(speedups)
    for form in ("table", "markdown", "html"):
        text = aka("report", str(folder), "--format", form).stdout
        for task, speedup in speedups.items():
            assert task in text
            assert f"{speedup:.2f}" in text, f"{form}: {task}"


def test_the_html_report_needs_nothing_from_elsewhere(flow: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    page = (flow[1] / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    for word in ('src="http', "src='http", 'href="http', "@import", "url(http", "fetch("):
        assert word not in page


def test_report_can_be_written_to_a_file_and_explained(
    flow: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    out = tmp_path / "report.md"
    done = aka("report", str(flow[1]), "--format", "markdown", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, "")
    assert TASKS[0] in out.read_text()
    explained = aka("report", str(flow[1]), "--explain", TASKS[0])
    assert explained.stdout.startswith(f"{TASKS[0]} in run ")
    unknown = aka("report", str(flow[1]), "--explain", "hip2hip/softmax")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "is not in this run" in unknown.stderr
    nowhere = aka("report", str(flow[1]), "--out", "/proc/report.md")
    assert nowhere.returncode == 2
    assert nowhere.stderr.startswith("error: --out")


def test_a_run_compared_with_itself_shows_no_difference(flow: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    answer = json.loads(aka("compare", str(flow[1]), str(flow[1]), "--json").stdout)
    assert answer["overall"]["ratio"]["value"] == pytest.approx(1.0)
    assert answer["overall"]["verdict"] == "none"
    assert answer["overall"]["tasks"] == 3


def test_evaluate_compiles_for_a_gpu_that_is_not_there() -> None:
    if shutil.which("clang-22") is None:
        pytest.skip("clang-22 is not installed")
    done = aka("evaluate", "hip2hip/swiglu", "--submission", "baseline", "--target", "amd:gfx942", "--compile-only",
               "--json")
    judgement = json.loads(done.stdout)
    assert done.returncode == 0
    assert judgement["outcome"]["status"] == "passed"
    assert judgement["target"] == "amd:gfx942"
    assert judgement["configurations"] == []
    without = aka("evaluate", "hip2hip/swiglu", "--submission", "baseline", "--target", "amd:gfx942")
    assert without.returncode == 2
    assert "add --compile-only" in without.stderr


def test_evaluate_exits_with_1_for_a_wrong_kernel(tmp_path: Path) -> None:
    source = (ROOT / "suite/elementwise/swiglu/kernel.hip").read_text()
    assert "to_float" in source
    kernel = tmp_path / "kernel.hip"
    kernel.write_text(source.replace("from_float<scalar_t>(", "from_float<scalar_t>(1.01f * ", 1))
    assert kernel.read_text() != source
    done = aka("evaluate", "hip2hip/swiglu", "--submission", str(kernel), "--target", "cpu", "--smoke")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "incorrect" in done.stdout
    assert "expected" in done.stdout


@pytest.mark.parametrize("tool", ["check", "time"])
def test_the_tools_in_the_workspace_answer_and_are_logged(tool: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    script = f"./aka {tool} smoke --json > answer.json; ./aka {tool} no-such; ./aka info; ls > files.h; cat answer.json"
    done = aka("run", "--agent", "command", "--command", f"sh -c '{script}'", "--tasks", "hip2hip/swiglu", "--target",
               "cpu", "--unseen", "0", "--out", str(out))
    assert done.returncode == 0, done.stderr
    trial = next(Store(out).trials())
    assert [call.command for call in trial.tool_calls] == [f"{tool} smoke", "invalid", "info"]
    assert trial.tool_calls[0].outcome == "passed"
    log = (out / "trials" / trial.id / "agent.log").read_text()
    answer = json.loads(log[log.rindex('{"passed"'):])
    assert answer["passed"]
    assert [c["name"] for c in answer["configurations"]] == ["smoke"], "only what was asked for, and nothing unseen"
    assert (answer["configurations"][0]["time_us"] is not None) == (tool == "time")
    files = (out / "trials" / trial.id / "submission" / "files.h").read_text().split()
    assert {"TASK.md", "kernel.hip", "operator.h", "reference.py", "configurations.json", "aka"} <= set(files)
