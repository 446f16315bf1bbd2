"""The example package of an agent: installed as users do, found by its entry point, and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentkernelarena import plugin
from agentkernelarena.run import run_file
from agentkernelarena.task import loader

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "agent_plugin"

USE = """\
import json, sys
from pathlib import Path
from agentkernelarena import agent, plugin, transcript
from agentkernelarena.agent import AgentTask
from agentkernelarena.cli import main
from agentkernelarena.errors import InputError
from agentkernelarena.record import AgentSettings, Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import ENGINES
from agentkernelarena.task import loader
from agentkernelarena.workspace import Broker, ToolAnswer, prepare

ground, options = Path(sys.argv[1]), json.loads(sys.argv[2])
found = {"names": plugin.names("agent"), "file": plugin.load("agent", "substitute").__file__}
try:
    agent.load("substitute").preflight(AgentSettings(agent="substitute"))
except InputError as error:
    found["problem"] = error.problem
for number, verdict in enumerate([True, False]):
    settings, folder = AgentSettings(agent="substitute", options=options), ground / str(number)
    agent.load("substitute").preflight(settings)
    workspace = prepare(loader.load_task("hip2hip/rmsnorm"), DeviceFacts(target="cpu", name="test"), Budget(),
                        folder, ENGINES["none"])
    with Broker(workspace, lambda request, submission: ToolAnswer(verdict, "said", "said", "{}")) as broker:
        status = agent.load("substitute").solve(AgentTask(workspace, settings, Budget(), ENGINES["none"], folder))
    found[str(verdict)] = [status.status, status.reason, (workspace.folder / "kernel.hip").read_text(),
                           [c.command for c in broker.calls], [e.kind for e in transcript.read(folder)]]
print(json.dumps(found))
sys.stdout.flush()
main(["run", "--agent", "substitute", "--tasks", "hip2hip/rmsnorm", "--target", "cpu"])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed by pip, without the network."""
    target = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
         "--disable-pip-version-check", "--target", str(target), str(EXAMPLE)],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return target


def test_an_installed_package_adds_its_agent(installed: Path, tmp_path: Path) -> None:
    options = yaml.safe_load((EXAMPLE / "run.yaml").read_text())["agents"][0]["options"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(installed)])}
    done = subprocess.run([sys.executable, "-c", USE, str(tmp_path), json.dumps(options)], capture_output=True,
                          text=True, env=environment, timeout=120, cwd=tmp_path)
    # The last thing it does is `aka run` without the options, which the agent's own preflight refuses.
    assert done.returncode == 2, done.stderr[-2000:]
    assert "agent substitute: options: need find and replace" in done.stderr
    found = json.loads(done.stdout)
    assert "substitute" in found["names"]
    assert "substitute" not in plugin.names("agent"), "it is known here without being installed"
    assert Path(found["file"]) == installed / "arena_agent_substitute.py"
    assert found["problem"] == "need find and replace"
    start = (loader.load_task("hip2hip/rmsnorm").folder / "kernel.hip").read_text()
    changed = start.replace(options["find"], options["replace"])
    assert changed != start
    kinds = ["tool_call", "tool_result"]
    assert found["True"] == ["completed", "the change passes", changed, ["check"], kinds]
    assert found["False"] == ["completed", "the change does not pass", start, ["check"], kinds]


def test_the_examples_run_file_is_one() -> None:
    settings = run_file.load(EXAMPLE / "run.yaml")
    assert settings.agents[0].agent == "substitute"
