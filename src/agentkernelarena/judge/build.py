"""Builds in their own confined process, with a content-addressed cache.

The key covers everything that enters a build: the source files, the generated header, the macros and options, the
toolchain's version and its own files. Only this module writes the cache; a build process writes to a private folder
that is moved into the cache when it has ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernelarena import sandbox
from agentkernelarena.errors import InfrastructureError
from agentkernelarena.judge.log import LOG_LIMIT, Log
from agentkernelarena.sandbox.spec import Bind, Limits, SandboxSpec, package_folder, python_binds
from agentkernelarena.target import Target
from agentkernelarena.toolchain import Build, Diagnostic, KernelResources, Toolchain

_STARTED = "started"
# Enough for the largest translation unit seen, ten times over; what a template or a constant can ask for has no bound.
_MEMORY_MIB = 8192


def cache_folder() -> Path:
    """$AKA_CACHE, or agentkernelarena under the user's cache folder."""
    if override := os.environ.get("AKA_CACHE"):
        return Path(override).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base).absolute() / "agentkernelarena"


@dataclass(frozen=True)
class BuildOrder:
    """What is to be built: source files by relative path, the main one, generated headers, macros, options."""

    files: Mapping[str, bytes]
    main: str
    headers: Mapping[str, str]
    defines: Mapping[str, str]
    options: frozenset[str]
    language: str


@dataclass(frozen=True)
class BuildOutcome:
    """A finished build: `folder` and `main` say where the artefact lies (None when it failed)."""

    build: Build
    seconds: float
    cached: bool
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        return self.build.ok


@lru_cache(maxsize=32)
def _identity(target: str, language: str) -> str:
    from agentkernelarena import target as targets

    toolchain = targets.load(target).toolchain(language)
    return f"{toolchain.name}\0{toolchain.version()}\0{toolchain.fingerprint()}"


def key(order: BuildOrder, target: Target) -> str:
    """Content address of a build."""
    state = hashlib.sha256(f"4\0{_identity(target.name, order.language)}\0{order.main}\0".encode())
    for name in sorted(order.files):
        state.update(name.encode() + b"\0" + hashlib.sha256(order.files[name]).digest())
    for part in (order.headers, order.defines):
        state.update(json.dumps(dict(part), sort_keys=True).encode() + b"\0")
    state.update(" ".join(sorted(order.options)).encode())
    return state.hexdigest()


def build(order: BuildOrder, target: Target, engine: str, timeout_s: float) -> BuildOutcome:
    """Build, or take from the cache. Failing builds are cached too; timed-out ones are not."""
    place = cache_folder() / "builds" / key(order, target)
    start = time.monotonic()
    if (place / "build.json").is_file():
        return BuildOutcome(_read(place), time.monotonic() - start, True)
    with tempfile.TemporaryDirectory(prefix="aka-build-") as name:
        work = Path(name)
        work.chmod(0o755)
        _write_order(order, target, work, timeout_s)
        timed_out, said = _run(work, engine, timeout_s)
        result = _read_new(work / "out")
        if result is None:
            reason = f"the compiler did not finish within {timeout_s:g} s" if timed_out else said[-2000:]
            if not timed_out:
                if not (work / "out" / _STARTED).exists():
                    raise InfrastructureError(f"the build process could not start: {reason}")
                # What the build reads, and for Triton runs, is the submission's: it brought its own build down.
                reason = f"the build ended without a result: {reason.strip()[-600:]}"
            problem = Diagnostic(order.main, 0, 0, "error", reason)
            return BuildOutcome(Build(None, said[-LOG_LIMIT:], (problem,)), time.monotonic() - start, False, timed_out)
        _install(work / "out", place)
    return BuildOutcome(_read(place), time.monotonic() - start, False)


def _write_order(order: BuildOrder, target: Target, work: Path, timeout_s: float) -> None:
    for folder, files in (("source", order.files), ("include", {n: t.encode() for n, t in order.headers.items()})):
        (work / folder).mkdir()
        for relative, data in files.items():
            path = work / folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    out = work / "out"
    out.mkdir()
    out.chmod(0o777)
    request = {
        "target": target.name,
        "language": order.language,
        "main": order.main,
        "defines": dict(order.defines),
        "options": sorted(order.options),
        "timeout_s": timeout_s,
    }
    (work / "request.json").write_text(json.dumps(request))


def _run(work: Path, engine_name: str, timeout_s: float) -> tuple[bool, str]:
    engine = sandbox.choose(engine_name)
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    spec = SandboxSpec(
        read_only=(*python_binds(package=True), Bind.of(work), Bind.of(cache)),
        masked=(cache / "builds",),  # other submissions' sources
        writable=(Bind.of(work / "out"),),
        environment={"AKA_CACHE": str(cache), "TRITON_CACHE_DIR": "/tmp/triton"},
        limits=Limits(
            memory_mib=_MEMORY_MIB, processes=256, file_mib=512, disk_mib=1024, open_files=1024, scratch_mib=1024
        ),
    )
    argv = [sys.executable, "-I", "-c", _BOOTSTRAP, str(package_folder().parent), str(work)]
    log = Log()
    with sandbox.launch(engine, spec, argv, stdout=log.write_fd, stderr=log.write_fd) as process:
        log.close_write()
        timed_out = process.wait(timeout_s + 30.0) is None
    return timed_out, log.text()


def _install(out: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        shutil.copytree(out, fresh, dirs_exist_ok=True, ignore=_not_plain)
        fresh.chmod(0o755)
        os.replace(fresh, place)
    except OSError:
        # Somebody else installed the same build first: theirs is as good.
        shutil.rmtree(fresh, ignore_errors=True)
        if not (place / "build.json").is_file():
            raise


def _not_plain(folder: str, names: list[str]) -> list[str]:
    """What is not copied out of a build's folder: links (they would be followed here), devices, pipes, sockets."""
    out = []
    for name in names:
        mode = os.lstat(os.path.join(folder, name)).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            out.append(name)
    return out


class _Document(BaseModel):
    """build.json: written where a submission's own code may run, so believed only as far as it is checked."""

    model_config = ConfigDict(extra="forbid")

    artefact: str | None
    log: str
    diagnostics: tuple[Diagnostic, ...]
    resources: tuple[KernelResources, ...]
    commands: tuple[tuple[str, ...], ...]


def _read_new(out: Path) -> Build | None:
    """The result in a build's own folder, None when there is none that makes sense."""
    document = out / "build.json"
    if document.is_symlink() or not document.is_file():
        return None
    try:
        result = _read(out)
    except (ValueError, OSError):
        return None
    if result.artefact is not None:
        inner = result.artefact.resolve()
        if not (inner.is_file() and inner.is_relative_to(out.resolve())):
            return None
    return result


def _read(place: Path) -> Build:
    data = _Document.model_validate_json((place / "build.json").read_bytes())
    artefact = place / data.artefact if data.artefact is not None else None
    return Build(artefact, data.log, data.diagnostics, data.resources, data.commands)


def work_in(folder: Path) -> None:
    """The build process: read the request in `folder`, build, write `out/build.json`."""
    from agentkernelarena import target as targets
    from agentkernelarena.toolchain import Source

    (folder / "out" / _STARTED).touch()
    request = json.loads((folder / "request.json").read_text())
    toolchain: Toolchain = targets.load(request["target"]).toolchain(request["language"])
    source = Source(
        folder / "source", request["main"], (folder / "include",), request["defines"], frozenset(request["options"])
    )
    out = folder / "out"
    result = toolchain.build(source, out, request["timeout_s"])
    artefact = str(result.artefact.relative_to(out)) if result.artefact else None
    names = [str(folder / place) + "/" for place in ("source", "include", "out")]
    document = _without(
        names,
        {
            "artefact": artefact,
            "log": result.log[:LOG_LIMIT],
            "diagnostics": [asdict(d) for d in result.diagnostics[:50]],
            "resources": [asdict(r) for r in result.resources],
            "commands": [list(c) for c in result.commands],
        },
    )
    (out / "build.json.new").write_text(document)
    os.replace(out / "build.json.new", out / "build.json")


def _without(folders: list[str], document: dict[str, object]) -> str:
    """The document as JSON, without the names of the private folders that a build ran in."""
    text = json.dumps(document)
    for name in folders:
        text = text.replace(json.dumps(name)[1:-1], "")
    return re.sub(r"\\ud[89a-f][0-9a-f]{2}", r"\\ufffd", text)


_BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; "
    "from agentkernelarena.judge.build import work_in; work_in(Path(sys.argv[2]))"
)
