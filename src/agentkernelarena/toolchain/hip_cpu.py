"""HIP kernels on the CPU: one fiber for each GPU thread, built with g++ (or clang++) from rewritten sources.

What a build gives is a shared library whose `launch` a worker calls through ctypes; `include/cpu` holds the runtime
that is compiled into it. At run time AKA_HIP_THREADS sets the number of OS threads (default: the CPUs of the process,
at most 16) and AKA_HIP_ORDER=reverse runs threads last to first, which brings missing barriers to light. A kernel
that breaks a rule of the programming model (a divergent barrier, an access out of bounds under ``asan``) ends its
process by a signal, with a message on stderr: run it in a process of its own.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import posixpath
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.toolchain import Build, Diagnostic, Missing, Source
from agentkernelarena.toolchain.hip_source import Rewritten, rewrite
from agentkernelarena.toolchain.hip_token import kernel_names

INCLUDE = Path(__file__).parent / "include" / "cpu"
OPTIONS = frozenset({"asan", "wave32", "wave64", "debug"})
SUFFIXES = frozenset(
    {".h", ".hh", ".hpp", ".hxx", ".hip", ".cuh", ".cu", ".cpp", ".cc", ".cxx", ".inc", ".inl", ".ipp"}
)
"""Files of a source folder that are rewritten; nothing else can be included."""

_FLAGS = (
    "-std=c++17",
    "-fPIC",
    "-shared",
    "-pthread",
    "-ftls-model=initial-exec",
    "-fno-semantic-interposition",
    "-fvisibility-inlines-hidden",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-Wno-unknown-pragmas",
    "-Wno-attributes",
    "-Wl,-z,nodelete",
    "-Wl,-Bsymbolic",
)
_GNU = ("-fno-gnu-unique", "-fmax-errors=20")
_CLANG = ("-ferror-limit=20", "-Wno-unknown-attributes", "-Wno-pass-failed")
_READABLE_GNU = ("-ftrack-macro-expansion=0", "-ftemplate-backtrace-limit=4", "-fno-diagnostics-show-caret")
_READABLE_CLANG = ("-fmacro-backtrace-limit=1", "-ftemplate-backtrace-limit=4", "-fno-caret-diagnostics")
_MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<severity>fatal error|error|warning|note): "
    r"(?P<message>.*)$"
)
_CONTEXT = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?:\s+(?:recursively )?required (?:from|by)"
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:["<](?P<name>[^">\n]+)[">]|(?P<macro>[A-Za-z_]))', re.M)
_IDENTIFIER = re.compile(r"^[A-Za-z_]\w*$")


@dataclass(frozen=True)
class _Compiled:
    code: int | None
    """Exit status; None when the time was up."""
    output: str


class HipCpu:
    """HIP's language and runtime on the CPU; needs g++ 9 or clang++ 10, or later ones."""

    name = "hip_cpu"
    language = "hip"

    def __init__(self, compiler: str | None = None) -> None:
        """Use `compiler` (a name or path), or the first of g++ and clang++ that this machine has."""
        self._compiler = compiler or _find_compiler()

    def missing(self) -> list[Missing]:
        """Name g++ when there is no compiler."""
        if self._compiler and shutil.which(self._compiler):
            return []
        return [Missing("a C++17 compiler (g++ or clang++)", "apt install g++")]

    def version(self) -> str:
        """Compiler version and instruction set, as both change what a build gives."""
        return f"{_compiler_version(self._compiler or 'g++')}, {_architecture() or platform.machine()}"

    def fingerprint(self) -> str:
        """Digest of the headers, the rewriter and this file."""
        return _digest()

    def preload(self) -> Path | None:
        """Return AddressSanitizer's runtime, which a process that loads an ``asan`` build has in LD_PRELOAD.

        None where the compiler has none. Leaks of the interpreter are no concern: ASAN_OPTIONS=detect_leaks=0.
        """
        name = f"libclang_rt.asan-{platform.machine()}.so" if self._is_clang() else "libasan.so"
        command = [self._compiler or "g++", f"-print-file-name={name}"]
        path = Path(subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip())
        return path if path.is_absolute() else None

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Build `out`/kernel.so; sources are rewritten into `out`/source with their names and lines kept."""
        _check(source)
        if self.missing():
            raise InputError("toolchain hip_cpu", "no C++ compiler on this machine", "apt install g++")
        deadline = time.monotonic() + timeout_s
        files = _read(source.folder, source.main)
        kernels = set().union(*(kernel_names(text) for text in files.values()))
        rewritten = {name: rewrite(text, kernels) for name, text in files.items()}
        folder = out / "source"
        for name, result in rewritten.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                f'#line 1 "{name}"\n{result.text}', encoding="utf-8", errors="surrogateescape", newline=""
            )
        artefact = out / "kernel.so"
        artefact.unlink(missing_ok=True)
        command = self._command(source, folder)
        link = (*command, "-o", str(artefact.resolve()))
        done = _run(link, source.folder, deadline - time.monotonic())
        if done.code == 0 and artefact.exists():
            return Build(artefact, done.output, tuple(_diagnostics(done.output, rewritten)), commands=(link,))
        if done.code is None:
            late = Diagnostic(source.main, 0, 0, "error", f"the compiler did not finish within {timeout_s:g} s")
            return Build(None, done.output, (late,), commands=(link,))
        # A second pass for messages alone: positions of the author's text instead of the inside of our macros.
        readable = _READABLE_CLANG if self._is_clang() else _READABLE_GNU
        again = (*command, "-fsyntax-only", *readable)
        second = _run(again, source.folder, deadline - time.monotonic())
        found = [d for d in _diagnostics(second.output, rewritten) if d.severity == "error"]
        first = [d for d in _diagnostics(done.output, rewritten) if d.severity == "error"]
        notes = [
            Diagnostic(name, note.line, 0, "error", note.message) for name, r in rewritten.items() for note in r.notes
        ]
        messages = notes + (found or first)
        if not messages:
            messages = [Diagnostic(source.main, 0, 0, "error", _last_words(done))]
        return Build(None, done.output, tuple(messages), commands=(link, again))

    def _is_clang(self) -> bool:
        return "clang" in Path(self._compiler or "").name

    def _command(self, source: Source, folder: Path) -> tuple[str, ...]:
        options = source.options
        asan = "asan" in options
        flags = [self._compiler or "g++", "-x", "c++", *_FLAGS, *(_CLANG if self._is_clang() else _GNU)]
        flags += _architecture().split()
        flags += ["-O1" if asan else "-O2"]
        if asan:
            flags += ["-fsanitize=address", "-fno-omit-frame-pointer"]
        flags += [f"-fdebug-prefix-map={source.folder.resolve()}=."]
        if asan or "debug" in options:
            flags += ["-g1" if "debug" not in options else "-g"]
        flags += [f"-DHIP_CPU_WAVE={32 if 'wave32' in options else 64}"]
        flags += [f"-D{name}={value}" for name, value in sorted(source.defines.items())]
        for place in source.include:
            flags += ["-I", str(place.resolve())]
        flags += ["-isystem", str(INCLUDE), str((folder / source.main).resolve())]
        return tuple(flags)


def _find_compiler() -> str | None:
    names = ["g++", "clang++", *(f"g++-{n}" for n in range(20, 8, -1)), *(f"clang++-{n}" for n in range(30, 9, -1))]
    return next((name for name in names if shutil.which(name)), None)


@functools.cache
def _compiler_version(compiler: str) -> str:
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"{compiler} (not available)"
    return (done.stdout.splitlines() or [compiler])[0].strip()


@functools.cache
def _architecture() -> str:
    """x86-64-v3 where the processor has it (it converts half precision), else the compiler's default."""
    if platform.machine() != "x86_64":
        return ""
    with contextlib.suppress(OSError):
        words = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("flags")[2].partition("\n")[0].split())
        if {"avx2", "fma", "f16c", "bmi2", "movbe"} <= words:
            return "-march=x86-64-v3 -fcf-protection=none"
    return "-fcf-protection=none"


@functools.cache
def _digest() -> str:
    here = Path(__file__)
    digest = hashlib.sha256()
    for path in [
        here,
        here.with_name("hip_source.py"),
        here.with_name("hip_token.py"),
        *sorted(p for p in INCLUDE.rglob("*") if p.is_file()),
    ]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _check(source: Source) -> None:
    place = "toolchain hip_cpu"
    for option in sorted(source.options - OPTIONS):
        raise InputError(place, f"unknown option {option!r}", nearest(option, sorted(OPTIONS)))
    if {"wave32", "wave64"} <= source.options:
        raise InputError(place, "options wave32 and wave64 exclude each other", "give one of them")
    for name, value in source.defines.items():
        if not _IDENTIFIER.match(name) or "\n" in value:
            raise InputError(place, f"{name!r} with value {value!r} cannot be a macro", "use a C identifier, one line")
    if Path(source.main).suffix not in SUFFIXES:
        raise InputError(source.main, "not a HIP source by its name", f"use one of {', '.join(sorted(SUFFIXES))}")
    if not (source.folder / source.main).is_file():
        raise InputError(str(source.folder / source.main), "no such file", "name the main file of the folder")


def _read(folder: Path, main: str) -> dict[str, str]:
    """Return the texts of `main` and of all that it includes from `folder`, by relative name.

    An include whose name is a macro may mean any file, so then all source files are read. Links that lead out of the
    folder are left out.
    """
    root = folder.resolve()
    every = {
        path.relative_to(root).as_posix(): path
        for path in sorted(root.rglob("*"))
        if path.suffix in SUFFIXES and path.is_file() and path.resolve().is_relative_to(root)
    }
    files: dict[str, str] = {}
    waiting = [posixpath.normpath(main)]
    while waiting:
        name = waiting.pop()
        if name in files or name not in every:
            continue
        files[name] = every[name].read_bytes().decode("utf-8", errors="surrogateescape")
        for match in _INCLUDE.finditer(files[name]):
            if match["macro"]:
                waiting += every
            else:
                waiting += [posixpath.normpath(posixpath.join(posixpath.dirname(name), match["name"]))]
    return files


def _run(command: tuple[str, ...], folder: Path, timeout_s: float) -> _Compiled:
    """Run a compiler in `folder` in a process group of its own, which ends with it or when the time is up."""
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
    for name in ("CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX"):
        environment.pop(name, None)
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=max(timeout_s, 0.01))
        return _Compiled(process.returncode, output.decode("utf-8", errors="replace"))
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return _Compiled(None, output.decode("utf-8", errors="replace"))


def _last_words(done: _Compiled) -> str:
    lines = [line for line in done.output.splitlines() if line.strip()]
    how = f"signal {-done.code}" if done.code is not None and done.code < 0 else f"exit status {done.code}"
    return lines[-1] if lines else f"the compiler failed without a message ({how})"


def _diagnostics(output: str, files: dict[str, Rewritten]) -> list[Diagnostic]:
    """Parse g++'s and clang's messages; one that lies in our headers moves to the author's line that led there."""
    found: list[Diagnostic] = []
    context: tuple[str, int, int] | None = None
    for line in output.splitlines():
        if ": In instantiation of" in line or ": In substitution of" in line:
            context = None
        if context is None and (match := _CONTEXT.match(line)) and match["file"] in files:
            context = (match["file"], int(match["line"]), int(match["column"] or 0))
            continue
        if not (match := _MESSAGE.match(line)):
            continue
        file, number, column = match["file"], int(match["line"]), int(match["column"] or 0)
        severity = "error" if match["severity"] == "fatal error" else match["severity"]
        message = match["message"]
        ours = file.startswith(str(INCLUDE))
        if ours and severity == "note":
            continue
        if ours and context is not None:
            file, number, column = context
        elif ours:
            file = f"hip/{Path(file).name}"
        if severity == "error":
            context = None
        if file in files and column:
            column = files[file].column(number, column)
        diagnostic = Diagnostic(file, number, column, severity, message)
        if diagnostic not in found:
            found.append(diagnostic)
    return found
