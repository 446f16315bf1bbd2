"""HIP for AMD GPUs: a loadable library where ROCm is installed, the compile gate for absent hardware elsewhere.

Without ROCm, clang and lld of the distribution compile the device side to a code object for the architecture, against
the HIP headers and bitcode in Triton's wheel and this package's headers for what those lack (half, bfloat16 and 8-bit
floats, cooperative groups); the host side is compiled beside it, so that the launcher is checked as well. The real
limits of the architecture apply: registers, LDS, instructions. Nothing can be run there.

The path through ROCm's own compiler follows the same rules and flags. It has not been run on a machine with an AMD
GPU; what has been run is the command line itself, against a stand-in for the ROCm folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.toolchain import Build, Missing, Source, compiler, device_library
from agentkernelarena.toolchain.diagnostic import (
    clang_diagnostics,
    clang_resources,
    no_entry_point,
    unexplained_failure,
)
from agentkernelarena.toolchain.symbol import ENTRY_POINT, defined_functions

ARCHITECTURES = tuple(device_library.ISA)

_OLDEST_CLANG = 20
"""The first release that knows gfx950."""

_INCLUDE = Path(__file__).parent / "include"
_HEADERS = (_INCLUDE / "amd", _INCLUDE / "portable")
_COMMON = ("-x", "hip", "-std=c++17", "-fPIC", "-Wno-unused-command-line-argument")
_DEVICE = ("-O3", "-Rpass-analysis=kernel-resource-usage")
_WITHOUT_ROCM = ("-nogpuinc", "-include", "__clang_hip_runtime_wrapper.h", "-D__HIP_PLATFORM_AMD__=1")
_OPTIONS = frozenset({"debug"})


class HipAmd:
    """HIP for one AMD architecture, such as ``gfx942``; target features (``gfx942:sramecc+:xnack-``) are dropped.

    The artefact of `build` is a library with a host function ``launch`` where ROCm is installed (`loadable`), and
    otherwise the code object of the device side.
    """

    name = "hip_amd"
    language = "hip"

    def __init__(self, arch: str) -> None:
        self.arch = arch.partition(":")[0]
        if self.arch not in ARCHITECTURES:
            raise InputError("AMD architecture", f"there is no {arch!r}", f"known: {', '.join(ARCHITECTURES)}")
        self._rocm = _rocm_compiler()
        self._clang = None if self._rocm else _clang()
        self._triton = None if self._rocm else device_library.triton_folder()

    @property
    def loadable(self) -> bool:
        """True where a build gives a library that can be loaded and run."""
        return self._rocm is not None

    def missing(self) -> list[Missing]:
        lacks: list[Missing] = []
        if self._rocm:
            return lacks
        if self._clang is None:
            lacks.append(Missing(f"clang {_OLDEST_CLANG} or newer", "apt-get install clang-22 lld-22"))
        elif _lld(self._clang) is None:
            lacks.append(Missing("lld for this clang", f"apt-get install lld-{_major(self._clang)}"))
        if self._triton is None:
            lacks.append(Missing("HIP headers and device bitcode (Triton's wheel)", "pip install 'triton>=3.6'"))
        return lacks

    def version(self) -> str:
        program = self._rocm or self._clang
        if program is None:
            return f"hip_amd {self.arch}: no compiler"
        lines = compiler.version_text(program).strip().splitlines()
        first = " ".join(lines[0].split()) if lines else str(program)
        return f"{first}; {self._headers()}; {self.arch}"

    def _headers(self) -> str:
        if self._rocm:
            return f"ROCm at {self._rocm.parent.parent}"
        if self._triton is None:
            return "no HIP headers"
        text = (self._triton / "include" / "hip" / "hip_version.h").read_text()
        numbers = [re.search(rf"HIP_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
        return "HIP headers " + ".".join(m[1] for m in numbers if m)

    def fingerprint(self) -> str:
        flags = [*_COMMON, *_DEVICE, *_WITHOUT_ROCM, self.arch, "rocm" if self._rocm else "clang"]
        return compiler.digest([*_HEADERS, *flags, *device_library.modules().values()])

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Compile both sides; fails when either does, or when no ``extern "C"`` function launch is defined."""
        compiler.require_known_options(self.name, source, _OPTIONS)
        for lack in self.missing():
            raise InfrastructureError(f"hip_amd cannot build: {lack.what} is missing; install it with: {lack.install}")
        deadline = compiler.Deadline(timeout_s)
        artefact, host, commands = self._plan(source, out)
        ran = compiler.run(commands, source.folder, deadline)
        log = "".join(r.output for r in ran)
        found = clang_diagnostics(log, source)
        ok = all(r.ok for r in ran) and artefact.is_file()
        if ok and ENTRY_POINT not in defined_functions(host):
            found, ok = (*found, no_entry_point(source)), False
        if not ok and not any(d.severity == "error" for d in found):
            found = (*found, unexplained_failure(source, ran, deadline))
        resources = clang_resources(log)
        return Build(artefact if ok else None, log, found, resources, tuple(r.argv for r in ran))

    def _plan(self, source: Source, out: Path) -> tuple[Path, Path, list[list[str]]]:
        """The artefact, the file that must define the entry point, and the commands that make them."""
        debug = ["-gline-tables-only"] if "debug" in source.options else []
        shared = [f"--offload-arch={self.arch}", *_COMMON, *debug, *compiler.preprocessor_arguments(source)]
        out = out.resolve()
        if self._rocm:
            library = out / "kernel.so"
            link = ["-shared", "-Wl,-z,defs", source.main, "-o", str(library)]
            return library, library, [[str(self._rocm), *shared, *_DEVICE, *link]]
        assert self._clang is not None
        assert self._triton is not None
        bitcode = device_library.folder(self._clang, self._triton / "lib", out)
        system = [*(f"-isystem{folder}" for folder in _HEADERS), f"-isystem{self._triton / 'include'}"]
        start = [str(self._clang), *shared, *_WITHOUT_ROCM, *system]
        code, host = out / "kernel.co", out / "host.o"
        device = ["--cuda-device-only", "--no-gpu-bundle-output", f"--rocm-device-lib-path={bitcode}", *_DEVICE]
        return code, host, [
            [*start, *device, "-c", source.main, "-o", str(code)],
            # The host side is only checked, never run: no time is spent on optimising it.
            [*start, "--cuda-host-only", "-O0", "-c", source.main, "-o", str(host)],
        ]  # fmt: skip


def _rocm_compiler() -> Path | None:
    """ROCm's compiler below ROCM_PATH or /opt/rocm. A hipcc on PATH alone may be a distribution's without libraries."""
    roots = [Path(p) for p in (os.environ.get("ROCM_PATH", ""), "/opt/rocm") if p]
    return compiler.find(str(root / "bin" / name) for root in roots for name in ("amdclang++", "hipcc"))


def _clang() -> Path | None:
    newest_known = 30
    chosen = os.environ.get("AKA_CLANG")
    names = [chosen] if chosen else ["clang++-22", *(f"clang++-{n}" for n in range(newest_known, 19, -1)), "clang++"]
    found = compiler.find(names)
    return found if found and _major(found) >= _OLDEST_CLANG else None


def _major(clang: Path) -> int:
    m = re.search(r"clang version (\d+)", compiler.version_text(clang))
    return int(m[1]) if m else 0


def _lld(clang: Path) -> Path | None:
    beside = clang.resolve().parent / "ld.lld"
    return compiler.find([str(beside), f"ld.lld-{_major(clang)}", "ld.lld"])
