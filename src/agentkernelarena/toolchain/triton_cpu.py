"""Triton for the cpu target: the source is interpreted, so the artefact is the file itself.

What can be compiled without a device is: the module is parsed, its `launch` must exist, and the folder is copied as it
stands. That every kernel really goes through Triton's compiler is the business of the GPU targets' toolchain.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import platform
import shutil
from pathlib import Path

from agentkernelarena.toolchain import Build, Diagnostic, Missing, Source


class TritonCpu:
    """See `agentkernelarena.toolchain.Toolchain`."""

    name = "triton_cpu"
    language = "triton"

    def missing(self) -> list[Missing]:
        if importlib.util.find_spec("triton") is None:
            return [Missing("triton", "pip install triton")]
        return []

    def version(self) -> str:
        return f"triton {importlib.metadata.version('triton')} interpreter, python {platform.python_version()}"

    def fingerprint(self) -> str:
        return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        main = source.folder / source.main
        try:
            text = main.read_text(encoding="utf-8")
            tree = ast.parse(text, filename=source.main)
        except SyntaxError as error:
            problem = Diagnostic(source.main, error.lineno or 0, error.offset or 0, "error", error.msg)
            return Build(None, str(problem), (problem,))
        except (OSError, ValueError) as error:
            problem = Diagnostic(source.main, 0, 0, "error", str(error))
            return Build(None, str(problem), (problem,))
        if not any(isinstance(node, ast.FunctionDef) and node.name == "launch" for node in tree.body) and not any(
            isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "launch" for t in node.targets)
            for node in tree.body
        ):
            problem = Diagnostic(source.main, 0, 0, "error", "no entry point: define `launch` at module level")
            return Build(None, str(problem), (problem,))
        shutil.copytree(source.folder, out / "source", dirs_exist_ok=True)
        return Build(out / "source" / source.main, "")
