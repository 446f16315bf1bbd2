"""Toolchains turn kernel sources into artefacts that a worker can load; one file per compiler.

A toolchain never runs what it builds and never touches a device: builds happen on any machine, in their own process
(`agentkernelarena.judge.build` confines them and caches what they make).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Missing:
    """A program or package that a toolchain needs and this machine lacks, with the command that installs it."""

    what: str
    install: str


@dataclass(frozen=True)
class Source:
    """What is to be built: a folder whose main file is `main`, and the generated headers it may include.

    `defines` become preprocessor macros (HIP) or are ignored (Triton). `options` is a closed set of words that a
    toolchain may know: ``asan`` (AddressSanitizer), ``wave32`` and ``wave64`` (wavefront size on the CPU),
    ``debug`` (line information). Unknown words are an error of the caller.
    """

    folder: Path
    main: str
    include: tuple[Path, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    options: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Diagnostic:
    """One message of a compiler: `line` and `column` are 1-based, 0 when it gave none."""

    file: str
    line: int
    column: int
    severity: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "") if self.line else self.file
        return f"{where}: {self.severity}: {self.message}"


@dataclass(frozen=True)
class KernelResources:
    """What one device kernel needs, as its compiler reports it; None where the compiler does not say."""

    kernel: str
    registers: int | None = None
    scalar_registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    occupancy_waves: int | None = None


@dataclass(frozen=True)
class Build:
    """What came of a build: `artefact` is the file to load, None when it failed; `log` is the compiler's own output."""

    artefact: Path | None
    log: str
    diagnostics: tuple[Diagnostic, ...] = ()
    resources: tuple[KernelResources, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()

    @property
    def ok(self) -> bool:
        return self.artefact is not None


class Toolchain(Protocol):
    """One compiler with its flags."""

    name: str
    language: str
    """``hip`` or ``triton``: what it compiles."""

    def missing(self) -> list[Missing]:
        """What this machine lacks; empty when the toolchain can build."""
        ...

    def version(self) -> str:
        """Compiler and header versions in one line: part of every cache key and of every record."""
        ...

    def fingerprint(self) -> str:
        """Hexadecimal digest of everything of ours that enters a build: headers, rewriter, flags."""
        ...

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Build into the existing folder `out`. A failing or slow compiler is a `Build` without artefact."""
        ...
