"""Running compilers: find them, run them against one deadline, digest what enters a build."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.toolchain import Source

_LOG_BYTES = 400_000
"""A template error can print megabytes: this much of the beginning is kept."""


@dataclass(frozen=True)
class Ran:
    """One finished command: `status` is its exit status, None when the deadline ended it."""

    argv: tuple[str, ...]
    status: int | None
    output: str

    @property
    def ok(self) -> bool:
        return self.status == 0


class Deadline:
    """A number of seconds that several commands share."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._end_s = time.monotonic() + timeout_s

    @property
    def timeout_s(self) -> float:
        return self._timeout_s

    def left_s(self) -> float:
        return max(0.0, self._end_s - time.monotonic())


def run(
    commands: Sequence[Sequence[str]], cwd: Path, deadline: Deadline, environment: Mapping[str, str] | None = None
) -> list[Ran]:
    """Run `commands` side by side in `cwd`, stdout and stderr together; nothing of them outlives the deadline.

    Every command gets its own process group, because a compiler driver's children would survive its own death.
    """
    with contextlib.ExitStack() as stack:
        started = []
        for argv in commands:
            log = stack.enter_context(tempfile.TemporaryFile())
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=None if environment is None else dict(environment),
                start_new_session=True,
            )
            stack.callback(_end_group, process)
            started.append((tuple(argv), process, log))
        return [_finish(argv, process, log, deadline) for argv, process, log in started]


def _finish(argv: tuple[str, ...], process: subprocess.Popen[bytes], log: IO[bytes], deadline: Deadline) -> Ran:
    status: int | None
    try:
        status = process.wait(deadline.left_s())
    except subprocess.TimeoutExpired:
        status = None
        _end_group(process)
    log.seek(0)
    text = log.read(_LOG_BYTES + 1)
    output = text[:_LOG_BYTES].decode("utf-8", "replace")
    if len(text) > _LOG_BYTES:
        output += f"\n[cut after {_LOG_BYTES} bytes]\n"
    if status is None:
        output += f"\n[ended: not done within {deadline.timeout_s:g} s]\n"
    return Ran(argv, status, output)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    # The group's number is the leader's pid, which stays reserved until wait() has reaped it: only an unreaped
    # leader's group may be signalled, a reaped one's number can already belong to somebody else.
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def find(names: Iterable[str]) -> Path | None:
    """The first of `names` (absolute paths, or programs on PATH) that can be run."""
    for name in names:
        found = shutil.which(name)
        if found:
            return Path(found)
    return None


def version_text(program: Path) -> str:
    """What ``program --version`` prints; empty when it cannot be run."""
    stat = program.stat()
    return _version_text(str(program), stat.st_mtime_ns, stat.st_size)


@functools.cache
def _version_text(program: str, _mtime_ns: int, _size: int) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def digest(parts: Iterable[str | bytes | Path]) -> str:
    """SHA-256 over `parts`: texts, bytes, files, and folders with the names and bytes of all files under them."""
    total = hashlib.sha256()

    def add(data: bytes) -> None:
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)

    for part in parts:
        if isinstance(part, Path):
            for file in sorted(p for p in part.rglob("*") if p.is_file()) if part.is_dir() else [part]:
                add(str(file.relative_to(part) if part.is_dir() else file.name).encode())
                add(file.read_bytes())
        else:
            add(part.encode() if isinstance(part, str) else part)
    return total.hexdigest()


def require_known_options(toolchain: str, source: Source, known: frozenset[str]) -> None:
    """Raise `InputError` for an option word that `toolchain` does not know."""
    for word in sorted(source.options - known):
        raise InputError(f"options of {toolchain}", f"unknown option {word!r}", nearest(word, sorted(known)))


def preprocessor_arguments(source: Source) -> list[str]:
    """``-I`` and ``-D`` arguments of a source; an entry of `include` is a folder, or a header in one."""
    folders = [source.folder, *(p if p.is_dir() else p.parent for p in source.include)]
    unique = dict.fromkeys(str(folder.resolve()) for folder in folders)
    defines = [f"-D{name}={value}" if value else f"-D{name}" for name, value in sorted(source.defines.items())]
    return [f"-I{folder}" for folder in unique] + defines


def cache_folder() -> Path:
    """Where things are kept that are cheap to make again: ``AKA_CACHE``, or agentkernelarena in the user's cache."""
    chosen = os.environ.get("AKA_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agentkernelarena"
