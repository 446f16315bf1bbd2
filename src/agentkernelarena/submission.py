"""A submission: the frozen, content-hashed set of files that leaves a workspace. Nothing else does.

Files are read through descriptors of their folders without following links, so that what was checked is what was
read, whatever a program in the workspace does meanwhile; from then on they live in memory and in the store.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.record import SubmissionRecord, SubmittedFile
from agentkernelarena.result import Outcome, Status
from agentkernelarena.task.category import Category

MAXIMUM_FILE_BYTES = 2**20
MAXIMUM_FILES = 64
MAXIMUM_TOTAL_BYTES = 8 * 2**20
MAXIMUM_DEPTH = 6
MAXIMUM_ENTRIES = 5000
MAXIMUM_REFUSED = 50

PRISTINE = frozenset({"reference.py", "operator.py", "operator.h", "TASK.md", "configurations.json", "aka"})
"""Files of the workspace that the judge takes from the task: never part of a submission, changed or not."""

SOURCE_SUFFIXES = frozenset({
    ".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hh", ".hip", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".py",
})
"""Added files with these suffixes belong to a submission; others (logs, binaries, notes) stay behind."""

_Refuse = Callable[[str, str], None]

_RESERVED_MODULES = sys.stdlib_module_names | {
    "agentkernelarena", "conftest", "numpy", "sitecustomize", "torch", "triton", "usercustomize",
}


@dataclass(frozen=True)
class Submission:
    """Frozen files by relative path. entry: the file that holds `launch`. refused: what was left behind, and why."""

    entry: str
    files: Mapping[str, bytes]
    refused: tuple[str, ...] = ()
    digest: str = field(init=False)
    """SHA-256 over the entry's name and every path and content, hexadecimal."""

    def __post_init__(self) -> None:
        state = hashlib.sha256(self.entry.encode() + b"\0")
        for path in sorted(self.files):
            state.update(path.encode() + b"\0" + hashlib.sha256(self.files[path]).digest())
        object.__setattr__(self, "files", dict(sorted(self.files.items())))
        object.__setattr__(self, "digest", state.hexdigest())

    def record(self) -> SubmissionRecord:
        """The manifest, for the trial's record."""
        files = tuple(SubmittedFile(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
                      for path, data in self.files.items())
        return SubmissionRecord(digest=self.digest, files=files, refused=self.refused)

    def write_to(self, folder: Path) -> None:
        """Write the files below `folder`, which is made; nothing that exists there is replaced.

        Raises:
            InfrastructureError: the folder cannot be written, or a file exists already.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path, data in self.files.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with open(target, "xb") as stream:
                    stream.write(data)
        except OSError as error:
            raise InfrastructureError(f"{folder}: the submission cannot be written: {error}") from error

    def diff(self, start: Mapping[str, bytes]) -> str:
        """A unified diff from the files that the agent was given to the submission; "" when nothing changed."""
        out: list[str] = []
        for path in sorted({*start, *self.files}):
            before, after = start.get(path), self.files.get(path)
            if before == after:
                continue
            out += difflib.unified_diff(
                _lines(before), _lines(after), f"a/{path}" if before is not None else "/dev/null",
                f"b/{path}" if after is not None else "/dev/null")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in out)


def collect(workspace: Path, category: Category) -> Submission | Outcome:
    """Freeze what a workspace holds.

    Links, hard links, devices, pipes, sockets, oversize files and names that hide a module are refused, each with its
    reason. Without a readable entry file the answer is the outcome `no_submission`.
    """
    found, refused = _read_folder(workspace, category.entry)
    if category.entry not in found:
        reasons = [r for r in refused if r.startswith(f"{category.entry}: ")]
        return Outcome(status=Status.NO_SUBMISSION, reason=reasons[0])
    return Submission(category.entry, found, tuple(refused))


def from_path(path: Path, entry: str) -> Submission:
    """Freeze a file (taken as the entry, whatever its name) or a folder that the user names.

    Raises:
        InputError: there is no such path, or the entry file is missing or refused.
    """
    if path.is_dir():
        found, refused = _read_folder(path.resolve(), entry)
        if entry not in found:
            reasons = [r.partition(": ")[2] for r in refused if r.startswith(f"{entry}: ")]
            raise InputError(str(path / entry), reasons[0], f"the submission of this task has to contain {entry}")
        return Submission(entry, found, tuple(refused))
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputError(str(path), "is neither a file nor a folder", "give the kernel's file or its folder")
        if (path.suffix == ".py") != entry.endswith(".py"):
            raise InputError(str(path), f"is no {Path(entry).suffix} file", f"this task takes {entry}, in its language")
        if size > MAXIMUM_FILE_BYTES:
            raise InputError(str(path), f"has {size} bytes; at most {MAXIMUM_FILE_BYTES} are taken", "give source code")
        return Submission(entry, {entry: path.read_bytes()})
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error), "give the kernel's file or its folder") from error


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


def _read_folder(folder: Path, entry: str) -> tuple[dict[str, bytes], list[str]]:
    """(files, refusals) of a folder: the entry first, then source files in the order of their names."""
    files: dict[str, bytes] = {}
    refused: list[str] = []

    def refuse(path: str, reason: str) -> None:
        if len(refused) < MAXIMUM_REFUSED:
            refused.append(f"{_printable(path)}: {reason}")

    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return {}, [f"{entry}: the workspace cannot be read: {error.strerror}"]
    try:
        total = 0
        walk = _Walk(refuse)
        added = walk.sources(root, skip=PRISTINE | {entry})
        for descriptor, name, path in itertools.chain([(root, entry, entry)], added):
            if len(files) >= MAXIMUM_FILES:
                refuse(path, f"more than {MAXIMUM_FILES} files")
                continue
            content = _read_regular(descriptor, name)
            if isinstance(content, str):
                if content or path == entry:
                    refuse(path, content or "is missing")
            elif total + len(content) > MAXIMUM_TOTAL_BYTES:
                refuse(path, f"all files together exceed {MAXIMUM_TOTAL_BYTES} bytes")
            else:
                total += len(content)
                files[path] = content
    finally:
        os.close(root)
    return files, refused


class _Walk:
    """Walks a hostile folder: no links followed, bounded depth and bounded number of entries."""

    def __init__(self, refuse: _Refuse) -> None:
        self._refuse, self._left = refuse, MAXIMUM_ENTRIES

    def sources(self, folder: int, prefix: str = "", depth: int = 0, skip: frozenset[str] = frozenset(),
                ) -> Iterator[tuple[int, str, str]]:
        """(descriptor of the folder, name, relative path) of every candidate for a source file."""
        for name in self._names(folder, prefix):
            path = prefix + name
            if (not prefix and name in skip) or name.startswith(".") or name == "__pycache__":
                continue
            if PurePosixPath(name).suffix in SOURCE_SUFFIXES:
                if problem := _name_problem(path):
                    self._refuse(path, problem)
                else:
                    yield folder, name, path
            elif depth < MAXIMUM_DEPTH and (below := _open_folder(folder, name)) is not None:
                try:
                    yield from self.sources(below, path + "/", depth + 1)
                finally:
                    os.close(below)

    def _names(self, folder: int, prefix: str) -> list[str]:
        names: list[str] = []
        if self._left <= 0:
            return names
        with os.scandir(folder) as entries:
            for entry in entries:
                self._left -= 1
                if self._left < 0:
                    self._refuse(prefix or "workspace", f"more than {MAXIMUM_ENTRIES} entries; the rest is left out")
                    break
                names.append(entry.name)
        return sorted(names)


def _open_folder(folder: int, name: str) -> int | None:
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return None
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None


def read_plain(folder: Path, name: str, maximum_bytes: int) -> bytes | str:
    """Content of a plain file that an untrusted program left in `folder`, or why it is refused ("" for no file)."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    try:
        return _read_regular(descriptor, name, maximum_bytes)
    finally:
        os.close(descriptor)


def _read_regular(folder: int, name: str, maximum_bytes: int = MAXIMUM_FILE_BYTES) -> bytes | str:
    """Content of a plain file, or why it is refused ("" when it does not exist)."""
    # Without O_NONBLOCK the open of a named pipe would wait for a writer for ever.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        if kind := _kind(os.stat(name, dir_fd=folder, follow_symlinks=False)):
            return kind
        descriptor = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return "is a symbolic link" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        # Looked at again, because it may be another file by now.
        if kind := _kind(status):
            return kind
        if status.st_nlink > 1:
            return "is a hard link"
        content = stream.read(maximum_bytes + 1)
    return content if len(content) <= maximum_bytes else f"is larger than {maximum_bytes} bytes"


def _kind(status: os.stat_result) -> str:
    """What a file is, when it is not a plain one."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    return "" if stat.S_ISREG(status.st_mode) else "is not a regular file"


def _name_problem(path: str) -> str:
    if not path.isprintable() or "\\" in path or len(path) > 200:
        return "has an unusual name"
    try:
        path.encode("ascii")
    except UnicodeEncodeError:
        return "has an unusual name"
    top = path.partition("/")[0].removesuffix(".py")
    if path.endswith(".py") and top in _RESERVED_MODULES:
        return f"would hide the module {top}"
    return ""


def _printable(path: str) -> str:
    text = path.encode("utf-8", "replace").decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
