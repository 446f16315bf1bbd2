"""Triton for the cpu target: kernels are interpreted, so what is loaded is the source file itself.

A gate that only parses would let through what no compiler takes, so the file also goes through Triton's own compiler,
for one GPU architecture, with the arguments of one call; no device is needed for that.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib.metadata
import importlib.util
import platform
import shutil
from pathlib import Path

from agentkernelarena.toolchain import Build, Diagnostic, Missing, Source
from agentkernelarena.toolchain.triton_gpu import ARGUMENTS, TritonGpu

# The architecture with the largest shared memory: the gate asks whether a kernel compiles, not where it fits.
_COMPILED_FOR = ("cuda", "sm_90")


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
        own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
        return own + TritonGpu(*_COMPILED_FOR).fingerprint()

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
        compiled = Build(main, "")
        if ARGUMENTS in source.defines:
            compiled = TritonGpu(*_COMPILED_FOR).build(source, _fresh(out / "compiled"), timeout_s)
            if not compiled.ok:
                return compiled
        shutil.copytree(source.folder, out / "source", dirs_exist_ok=True)
        shutil.rmtree(out / "compiled", ignore_errors=True)
        return dataclasses.replace(compiled, artefact=out / "source" / source.main)


def _fresh(folder: Path) -> Path:
    folder.mkdir()
    return folder
