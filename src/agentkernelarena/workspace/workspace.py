"""Laying out a workspace.

<folder>/workspace/   what the agent sees and writes: TASK.md, the kernel, reference.py, ./aka ...
<folder>/home/        the agent's home while it runs
<folder>/run/         the broker's socket, read-only for the agent
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.record import Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.sandbox import Bind, Engine, Limits, SandboxSpec, package_folder, python_binds
from agentkernelarena.submission import PRISTINE
from agentkernelarena.task import abi, loader
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.category import Category
from agentkernelarena.task.task import Task
from agentkernelarena.workspace import prompt

INSIDE = Path("/workspace")
INSIDE_RUN = Path("/run/aka")
SOCKET = "broker.sock"
REFERENCE = "reference.py"

AGENT_LIMITS = Limits(memory_mib=16384, processes=1024, file_mib=1024, disk_mib=8192, scratch_mib=4096)


@dataclass(frozen=True)
class Workspace:
    """A prepared workspace. start: the files of the submission as the agent got them, by name."""

    root: Path
    task_id: str
    category: Category
    start: Mapping[str, bytes]
    seen: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder that the agent works in."""
        return self.root / "workspace"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def socket(self) -> Path:
        return self.run / SOCKET

    def spec(self, *, environment: Mapping[str, str] | None = None, read_only: tuple[Bind, ...] = (),
             devices: tuple[Path, ...] = (), network: bool = False, limits: Limits = AGENT_LIMITS) -> SandboxSpec:
        """The surroundings of a program in this workspace: it writes here and in its home, and nowhere else.

        This package, its suite and everything else of the caller's is out of sight.
        """
        binds = (*python_binds(package=False), Bind.of(self.run, INSIDE_RUN), *read_only)
        path = os.pathsep.join(dict.fromkeys((f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin")))
        return SandboxSpec(
            read_only=binds, writable=(Bind.of(self.folder, INSIDE),), masked=(package_folder(),), devices=devices,
            environment={"PATH": path, **(environment or {})}, network=network, limits=limits, cwd=self.folder,
            home=self.home)

    def clear(self) -> None:
        """Remove the home and the broker's folder; the workspace itself stays for whoever wants to look."""
        for folder in (self.home, self.run):
            shutil.rmtree(folder, ignore_errors=True)


def prepare(task: Task, facts: DeviceFacts, budget: Budget, folder: Path, engine: Engine, *,
            seen: Mapping[str, Configuration] | None = None, template: Path | None = None, guidance: str | None = None,
            extra: Mapping[str, bytes] | None = None) -> Workspace:
    """Make the workspace of one trial in `folder`, which must be empty or not exist.

    seen: the configurations that the agent is told (default: the task's). template, guidance: see `prompt.task_text`.
    extra: more files to lay into the workspace, by relative path.

    Raises:
        InputError: a template is wrong, or an extra file would replace one of the task's.
        InfrastructureError: the folder cannot be written.
    """
    category = loader.categories()[task.category]
    told = dict(seen if seen is not None else task.seen)
    source = abi.skeleton(task).encode() if not category.start else (task.folder / category.start).read_bytes()
    files = {
        category.entry: source,
        # Not under its own name: that would hide Python's module `operator` from every program run in the workspace.
        REFERENCE: (task.folder / "operator.py").read_bytes(),
        "configurations.json": configurations_json(told).encode(),
        "TASK.md": prompt.task_text(task, category, facts, budget, told, template, guidance).encode(),
        "aka": client_script(engine, folder).encode(),
    }
    if category.language == "hip":
        files[abi.HEADER_NAME] = abi.header(task).encode()
    for name, content in (extra or {}).items():
        if name in files or name in PRISTINE or Path(name).is_absolute() or ".." in Path(name).parts:
            raise InputError(f"extra file {name}", "cannot be laid into the workspace", "choose another name")
        files[name] = content
    workspace = Workspace(folder.absolute(), task.id, category, {category.entry: source}, tuple(told))
    _write(workspace, files)
    return workspace


def _write(workspace: Workspace, files: Mapping[str, bytes]) -> None:
    try:
        # Nobody else on this machine gets near what an agent may leave here, such as a set-user-id file.
        workspace.root.mkdir(parents=True, exist_ok=True)
        workspace.root.chmod(0o700)
        for made in (workspace.folder, workspace.home, workspace.run):
            made.mkdir(parents=True)
        for name, content in files.items():
            target = workspace.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        (workspace.folder / "aka").chmod(0o755)
    except OSError as error:
        raise InfrastructureError(f"{workspace.root}: the workspace cannot be written: {error}") from error


def configurations_json(seen: Mapping[str, Configuration]) -> str:
    """Text of configurations.json: name -> axis -> value."""
    return json.dumps({name: dict(cfg) for name, cfg in seen.items()}, indent=1) + "\n"


def client_script(engine: Engine, folder: Path) -> str:
    """Text of ./aka: the client program, told its interpreter and where the broker listens."""
    run = INSIDE_RUN if engine.has_namespace else folder.absolute() / "run"
    quoted = "'" + sys.executable.replace("'", "'\\''") + "'"
    # One line that a shell runs and Python reads as a string: no limit on the path's length, blanks allowed. -I and
    # -S: nothing that lies in the workspace or its environment is imported.
    head = f"#!/bin/sh\n'''exec' {quoted} -I -S \"$0\" \"$@\" # '''\n"
    source = (Path(__file__).parent / "client.py").read_text(encoding="utf-8")
    body = source.partition("from __future__ import annotations\n")[2]
    return head + body.replace('FOLDER = "/run/aka"', f"FOLDER = {str(run)!r}")
