"""Versions of everything that makes a run's numbers, read from package metadata: nothing is imported for it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable

import agentkernelarena
from agentkernelarena.judge import PROTOCOL
from agentkernelarena.record import Versions
from agentkernelarena.target import Target
from agentkernelarena.task import loader


def versions_of(target: Target, languages: Iterable[str]) -> Versions:
    """What `run.json` says; `languages` are those whose toolchains the run uses."""
    return Versions(
        package=agentkernelarena.__version__,
        protocol=PROTOCOL,
        suite=suite_digest(),
        python=platform.python_version(),
        torch=installed("torch"),
        triton=installed("triton"),
        toolchains={t.name: t.version() for t in (target.toolchain(language) for language in sorted(languages))},
    )


def suite_digest() -> str:
    """Content hash over every operator folder: sixteen hexadecimal digits."""
    state = hashlib.sha256()
    for name, folder in sorted(loader.operator_folders().items()):
        for path in sorted(p for p in folder.iterdir() if p.suffix in (".py", ".hip", ".h")):
            state.update(f"{name}/{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:16]


def installed(package: str) -> str:
    """Version of a distribution, "" when it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
