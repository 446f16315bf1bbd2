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
import os
import platform
import posixpath
import re
import shutil
import subprocess
from pathlib import Path

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.toolchain import Build, Diagnostic, Missing, Source, compiler
from agentkernelarena.toolchain.diagnostic import no_entry_point, unexplained_failure
from agentkernelarena.toolchain.hip_source import Rewritten, rewrite
from agentkernelarena.toolchain.hip_token import kernel_names
from agentkernelarena.toolchain.symbol import ENTRY_POINT, defined_functions

INCLUDE = Path(__file__).parent / "include" / "cpu"
_COMPILERS = ("g++", "clang++", *(f"g++-{n}" for n in range(20, 8, -1)), *(f"clang++-{n}" for n in range(30, 9, -1)))
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


class HipCpu:
    """HIP's language and runtime on the CPU; needs g++ 9 or clang++ 10, or later ones."""

    name = "hip_cpu"
    language = "hip"

    def __init__(self, program: str | None = None) -> None:
        """Use the compiler `program` (a name or path), or the first of g++ and clang++ that this machine has."""
        self._compiler = compiler.find([program] if program else _COMPILERS)

    def missing(self) -> list[Missing]:
        """Name g++ when there is no compiler."""
        if self._compiler:
            return []
        return [Missing("a C++17 compiler (g++ or clang++)", "apt install g++")]

    def version(self) -> str:
        """Compiler version and instruction set, as both change what a build gives."""
        first = compiler.version_text(self._compiler).splitlines()[:1] if self._compiler else []
        return f"{first[0] if first else 'no C++ compiler'}; {' '.join(_architecture()) or platform.machine()}"

    def fingerprint(self) -> str:
        """Digest of the headers, the rewriter and this file with its flags."""
        here = Path(__file__)
        return compiler.digest([INCLUDE, here, here.with_name("hip_source.py"), here.with_name("hip_token.py")])

    def preload(self) -> Path | None:
        """Return AddressSanitizer's runtime, which a process that loads an ``asan`` build has in LD_PRELOAD.

        None where the compiler has none. Leaks of the interpreter are no concern: ASAN_OPTIONS=detect_leaks=0.
        """
        name = f"libclang_rt.asan-{platform.machine()}.so" if self._is_clang() else "libasan.so"
        command = [str(self._compiler), f"-print-file-name={name}"]
        path = Path(subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip())
        return path if path.is_absolute() else None

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Build `out`/kernel.so; sources are rewritten into `out`/source with their names and lines kept."""
        _check(source)
        for lack in self.missing():
            raise InfrastructureError(f"hip_cpu cannot build: {lack.what} is missing; install it with: {lack.install}")
        deadline = compiler.Deadline(timeout_s)
        folder = out.resolve() / "source"
        rewritten = _rewrite(source, folder)
        artefact = out.resolve() / "kernel.so"
        artefact.unlink(missing_ok=True)
        command = self._command(source, folder)
        link = (*command, "-o", str(artefact))
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(out.resolve())}
        (ran,) = compiler.run([link], source.folder, deadline, environment)
        found = tuple(_diagnostics(ran.output, rewritten))
        if ran.ok and artefact.is_file():
            if ENTRY_POINT in defined_functions(artefact):
                return Build(artefact, ran.output, found, commands=(link,))
            return Build(None, ran.output, (*found, no_entry_point(source)), commands=(link,))
        messages = [
            Diagnostic(name, note.line, 0, "error", note.message) for name, r in rewritten.items() for note in r.notes
        ]
        again: tuple[str, ...] = ()
        if ran.status is not None:
            # A second pass for messages alone: positions in the author's text instead of the inside of our macros.
            again = (*command, "-fsyntax-only", *(_READABLE_CLANG if self._is_clang() else _READABLE_GNU))
            (second,) = compiler.run([again], source.folder, deadline, environment)
            readable = [d for d in _diagnostics(second.output, rewritten) if d.severity == "error"]
            messages += readable or [d for d in found if d.severity == "error"]
        if not messages:
            messages = [unexplained_failure(source, [ran], deadline)]
        return Build(None, ran.output, tuple(messages), commands=(link, again) if again else (link,))

    def _is_clang(self) -> bool:
        return self._compiler is not None and "clang" in self._compiler.name

    def _command(self, source: Source, folder: Path) -> tuple[str, ...]:
        options = source.options
        asan = "asan" in options
        flags = [str(self._compiler), "-x", "c++", *_FLAGS, *(_CLANG if self._is_clang() else _GNU)]
        flags += _architecture()
        flags += ["-O1" if asan else "-O2"]
        if asan:
            flags += ["-fsanitize=address", "-fno-omit-frame-pointer"]
        flags += [f"-fdebug-prefix-map={source.folder.resolve()}=."]
        if asan or "debug" in options:
            flags += ["-g1" if "debug" not in options else "-g"]
        flags += [f"-DHIP_CPU_WAVE={32 if 'wave32' in options else 64}"]
        flags += [f"-D{name}={value}" for name, value in sorted(source.defines.items())]
        for place in (folder, *(p if p.is_dir() else p.parent for p in source.include)):
            flags += ["-I", str(place.resolve())]
        flags += ["-isystem", str(INCLUDE), str(folder / source.main)]
        return tuple(flags)


@functools.cache
def _architecture() -> list[str]:
    """x86-64-v3 where the processor has it (it converts half precision), else the compiler's default."""
    if platform.machine() != "x86_64":
        return []
    with contextlib.suppress(OSError):
        words = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("flags")[2].partition("\n")[0].split())
        if {"avx2", "fma", "f16c", "bmi2", "movbe"} <= words:
            return ["-march=x86-64-v3", "-fcf-protection=none"]
    return ["-fcf-protection=none"]


def _check(source: Source) -> None:
    place = "toolchain hip_cpu"
    compiler.require_known_options("hip_cpu", source, OPTIONS)
    if {"wave32", "wave64"} <= source.options:
        raise InputError(place, "options wave32 and wave64 exclude each other", "give one of them")
    for name, value in source.defines.items():
        if not _IDENTIFIER.match(name) or "\n" in value:
            raise InputError(place, f"{name!r} with value {value!r} cannot be a macro", "use a C identifier, one line")
    if Path(source.main).suffix not in SUFFIXES:
        raise InputError(source.main, "not a HIP source by its name", f"use one of {', '.join(sorted(SUFFIXES))}")
    if not (source.folder / source.main).is_file():
        raise InputError(str(source.folder / source.main), "no such file", "name the main file of the folder")


def _rewrite(source: Source, folder: Path) -> dict[str, Rewritten]:
    """Write the rewritten sources into `folder`, each with a first line that says whose lines follow."""
    files = _read(source.folder, source.main)
    kernels = {name for text in files.values() for name in kernel_names(text)}
    rewritten = {name: rewrite(text, kernels) for name, text in files.items()}
    shutil.rmtree(folder, ignore_errors=True)
    for name, result in rewritten.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = f'#line 1 "{name}"\n{result.text}'
        target.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return rewritten


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
                waiting += [posixpath.normpath(match["name"])]
                waiting += [posixpath.normpath(posixpath.join(posixpath.dirname(name), match["name"]))]
    return files


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
