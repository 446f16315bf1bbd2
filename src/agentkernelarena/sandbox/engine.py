"""The engines that confine a program, and the choice between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from agentkernelarena.sandbox.spec import HOME, SandboxSpec


class Engine(Protocol):
    """One way to confine a program."""

    name: str
    has_namespace: bool
    """Whether it has PID and mount namespaces of its own: others cannot be seen, and its end ends all inside."""

    def describe(self) -> str:
        """Name and version, for the record."""
        ...

    def problem(self) -> tuple[str, str] | None:
        """None when it works on this machine (tried, once), else what is wrong and the remedy."""
        ...

    def wrap(self, spec: SandboxSpec, argv: Sequence[str], info_fd: int) -> list[str]:
        """The command that runs `argv` confined; it reports its inner process as JSON on `info_fd`."""
        ...

    def inside(self, spec: SandboxSpec, path: Path) -> Path:
        """Where a host path appears inside."""
        ...


def bound_path(spec: SandboxSpec, path: Path) -> Path:
    """Translate a host path through the binds of `spec`; the innermost bind decides, none leaves it as it is."""
    absolute = path.absolute()
    best: tuple[int, Path] = (0, absolute)
    pairs = [(b.source, b.target) for b, _ in spec.ordered_binds()]
    if spec.home is not None:
        pairs.append((spec.home.absolute(), HOME))
    for source, target in pairs:
        if absolute == source or source in absolute.parents:
            best = max(best, (len(source.parts), target / absolute.relative_to(source)))
    return best[1]
