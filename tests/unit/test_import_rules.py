"""Imports point one way: from the right of the flow to its left, and never across the judge's wall."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "agentkernelarena"
SUITE = ROOT / "suite"

FORBIDDEN = {
    "task": {"agent", "cli", "judge", "report", "run", "sandbox", "score", "store", "submission", "target",
             "toolchain", "workspace"},
    "toolchain": {"agent", "cli", "judge", "report", "run", "score", "store", "submission", "target", "workspace"},
    "device": {"agent", "cli", "judge", "report", "run", "score", "store", "submission", "workspace"},
    "target": {"agent", "cli", "judge", "report", "run", "score", "store", "submission", "workspace"},
    "sandbox": {"agent", "cli", "judge", "report", "run", "score", "store", "submission", "target", "workspace"},
    "agent": {"cli", "judge", "report", "run", "score", "store"},
    "workspace": {"cli", "judge", "report", "run", "score", "store"},
    "judge": {"agent", "cli", "report", "run", "score", "store", "workspace"},
    "score": {"agent", "cli", "judge", "report", "run", "sandbox", "store", "target", "toolchain", "workspace"},
    "statistic": {"agent", "cli", "judge", "report", "run", "sandbox", "store", "target", "toolchain", "workspace"},
    "report": {"agent", "cli", "run", "sandbox", "workspace"},
    "run": {"cli", "report"},
}
"""Package -> packages that it never imports, not even inside a function."""


def imports_of(file: Path) -> Iterator[str]:
    """Dotted names that a file imports, anywhere in it, except for type checkers only."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_types_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for statement in block.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in for_types_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files_of(package: str) -> list[Path]:
    folder = SOURCE / package
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [SOURCE / f"{package}.py"]


def test_the_walk_sees_an_import_in_a_function_and_passes_over_type_checking(tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\ndef f():\n    from a.b import c\n"
    )
    assert set(imports_of(file)) == {"typing", "typing.TYPE_CHECKING", "a.b", "a.b.c"}


@pytest.mark.parametrize("package", sorted(FORBIDDEN))
def test_package_imports_nothing_to_its_right(package: str) -> None:
    files = files_of(package)
    assert files, f"no package {package}"
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imports_of(file)
        for other in FORBIDDEN[package]
        if name == f"agentkernelarena.{other}" or name.startswith(f"agentkernelarena.{other}.")
    ]
    assert wrong == []


def test_operators_import_torch_and_the_task_format_only() -> None:
    allowed = {"operator.py": ("torch", "agentkernelarena.task", "math", "__future__"),
               "kernel.py": ("torch", "triton", "__future__")}
    files = [f for f in sorted(SUITE.glob("*/*/*.py")) if f.name in allowed]
    assert len(files) >= 10
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imports_of(file)
        if not any(name == root or name.startswith(f"{root}.") for root in allowed[file.name])
    ]
    assert wrong == []


LIGHT = ("import agentkernelarena", "import agentkernelarena.cli; agentkernelarena.cli.build_app()",
         "from agentkernelarena.task import loader; loader.task_ids()", "import agentkernelarena.record")


@pytest.mark.parametrize("statement", LIGHT)
def test_import_is_free_of_heavy_packages(statement: str) -> None:
    probe = f"{statement}\nimport sys\nprint(sorted({{'torch', 'triton', 'ray', 'numpy', 'scipy'}} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[]"
