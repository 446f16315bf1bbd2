"""No confinement: the program runs as the caller, sees what the caller sees, and is ended with all that it started.

Has to be asked for by name, and the record says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agentkernelarena.sandbox.spec import SandboxSpec


class Unconfined:
    """The engine `none`."""

    name = "none"
    has_namespace = False

    def describe(self) -> str:
        return "none"

    def inside(self, spec: SandboxSpec, path: Path) -> Path:
        return path.absolute()

    def problem(self) -> tuple[str, str] | None:
        return None

    def wrap(self, spec: SandboxSpec, argv: Sequence[str], info_fd: int) -> list[str]:
        return [sys.executable, "-I", "-S", "-E", str(Path(__file__).with_name("supervise.py")), *argv]


ENGINE = Unconfined()
