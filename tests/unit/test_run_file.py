"""Run files: what is accepted, and that every error names file, line, key and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, Budget, RunSettings
from agentkernelarena.run import run_file

ROOT = Path(__file__).resolve().parents[2]


def test_everything_that_can_be_said_arrives() -> None:
    text = """
agents:
  - agent: command
    label: mine
    model: m-1
    command: [python3, solve.py]
    options: {effort: 3, strict: yes, note: text}
  - noop
tasks: [hip2hip/rmsnorm, "triton2triton/*"]
target: cpu
trials: 2
workers: 3
unseen: 6
draw: public-4
seed: 7
budget: {wall_s: 12.5, turns: 4, tokens: 1000, cost_usd: 0.25}
sandbox: none
isolation: unshare
"""
    assert run_file.parse(text, "run.yaml") == RunSettings(
        agents=(
            AgentSettings(agent="command", label="mine", model="m-1", command=("python3", "solve.py"),
                          options={"effort": "3", "strict": "true", "note": "text"}),
            AgentSettings(agent="noop"),
        ),
        tasks=("hip2hip/rmsnorm", "triton2triton/*"), target="cpu", trials=2, workers=3, unseen=6, draw="public-4",
        seed=7, budget=Budget(wall_s=12.5, turns=4, tokens=1000, cost_usd=0.25), sandbox="none", isolation="unshare",
    )


def test_single_entries_need_no_list_and_the_target_is_found_out() -> None:
    settings = run_file.parse("agents: noop\ntasks: hip2hip/*\n", "run.yaml")
    assert [a.agent for a in settings.agents] == ["noop"]
    assert settings.tasks == ("hip2hip/*",)
    assert settings.target == "auto"


def test_the_example_is_a_run_file() -> None:
    settings = run_file.load(ROOT / "examples" / "run.yaml")
    assert settings.target == "cpu"
    assert settings.unseen > 0


@pytest.mark.parametrize(
    ("text", "place", "problem", "remedy"),
    [
        ("agents: [noop]\ntasks: [a]\ntrails: 3", "run.yaml:3: trails", "is no setting", "did you mean 'trials'?"),
        ("agents:\n  - agent: noop\n    modle: x\ntasks: [a]", "run.yaml:3: agents[0].modle", "is no setting",
         "did you mean 'model'?"),
        ("agents: [noop]\ntasks: [a]\nbudget:\n  walls: 3", "run.yaml:4: budget.walls", "is no setting",
         "did you mean 'wall_s'?"),
        ("agents: [noop]\ntasks: [a]\ntrials: 0", "run.yaml:3: trials", "greater than or equal to 1 (it is 0)", ""),
        ("agents: [noop]\ntasks: [a]\n\nworkers: two", "run.yaml:4: workers", "(it is 'two')", ""),
        ("agents: [noop]\ntasks: [a]\nsandbox: docker", "run.yaml:3: sandbox", "or 'none' (it is 'docker')", ""),
        ("agents: [noop]\ntasks: [a]\ndraw: lucky", "run.yaml:3: draw", "is none of random, secret, public-<n>", ""),
        ("agents: [noop]", "run.yaml", "is missing", "add `tasks:`"),
        ("agents: [noop]\ntasks: [a]\ntasks: [b]", "run.yaml:3: tasks", "stands twice", "remove one"),
        ("agents: [noop]\ntasks: [a", "run.yaml:2", "is no YAML", ""),
        ("- noop", "run.yaml", "is not a mapping", "agents"),
        ("", "run.yaml", "is not a mapping", "agents"),
    ],
)
def test_errors_name_place_problem_and_remedy(text: str, place: str, problem: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        run_file.parse(text, "run.yaml")
    assert caught.value.place.startswith(place)
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        run_file.load(tmp_path / "absent.yaml")
