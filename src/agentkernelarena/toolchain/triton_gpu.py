"""Triton for a GPU that need not be present: every kernel is compiled for the target as `launch` launches it.

A Triton source is a Python file with ``@triton.jit`` kernels and ``def launch(...)``. Which specialisations a kernel
is compiled in follows from the arguments of the launch, so the launch is run, in a process of its own against tensors
without memory, and its kernels go to Triton's compiler instead of a device (see `triton_record`). Of the
configurations of ``@triton.autotune`` the first that compiles and fits stands for all.

The artefact is the source itself, copied to ``out/source``: it is what a worker loads. The device code lies beside it,
in ``out/device``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.toolchain import Build, Diagnostic, KernelResources, Missing, Source, compiler

ARGUMENTS = "AKA_ARGUMENTS"
"""The define that names the file with the arguments of the call: a path, or a name in an include folder.

The file is a JSON list in the order of launch's parameters, of ``{"kind": "scalar", "value": 1e-6}`` and of
``{"kind": "tensor", "shape": [4, 8], "dtype": "float16"}``, with "stride" where the tensor is not contiguous.
"""

_SCRIPT = Path(__file__).with_name("triton_record.py")


@dataclass(frozen=True)
class Chip:
    """What a launch may ask of a device: threads of a wavefront, shared bytes of a block, compute units."""

    wave: int
    shared_bytes: int
    units: int


_AMD = {
    "gfx90a": Chip(64, 64 << 10, 104),
    "gfx942": Chip(64, 64 << 10, 304),
    "gfx950": Chip(64, 160 << 10, 256),
    "gfx1100": Chip(32, 64 << 10, 96),
}
_NVIDIA = {
    "sm_75": Chip(32, 64 << 10, 72),
    "sm_80": Chip(32, 163 << 10, 108),
    "sm_86": Chip(32, 99 << 10, 84),
    "sm_87": Chip(32, 163 << 10, 16),
    "sm_89": Chip(32, 99 << 10, 142),
    "sm_90": Chip(32, 227 << 10, 132),
    "sm_100": Chip(32, 227 << 10, 148),
    "sm_103": Chip(32, 227 << 10, 160),
    "sm_110": Chip(32, 227 << 10, 20),
    "sm_120": Chip(32, 99 << 10, 188),
    "sm_121": Chip(32, 99 << 10, 48),
}
_CHIPS = {"hip": _AMD, "cuda": _NVIDIA}


class TritonGpu:
    """Triton for one architecture: ``TritonGpu("hip", "gfx942")``, ``TritonGpu("cuda", "sm_90")``."""

    name = "triton_gpu"
    language = "triton"

    def __init__(self, backend: str, arch: str) -> None:
        if backend not in _CHIPS:
            raise InputError("Triton backend", f"there is no {backend!r}", f"known: {', '.join(_CHIPS)}")
        self.backend = backend
        self.arch = arch.partition(":")[0].removesuffix("a" if backend == "cuda" else "\0")
        if self.arch not in _CHIPS[backend]:
            known = ", ".join(_CHIPS[backend])
            raise InputError("architecture", f"there is no {arch!r} for Triton's {backend} backend", f"known: {known}")
        self._chip = _CHIPS[backend][self.arch]

    def missing(self) -> list[Missing]:
        wanted = {"triton": "pip install 'triton>=3.6'", "torch": "pip install 'torch>=2.11'"}
        return [Missing(name, how) for name, how in wanted.items() if importlib.util.find_spec(name) is None]

    def version(self) -> str:
        if self.missing():
            return f"triton_gpu {self.arch}: no triton"
        return (
            f"triton {importlib.metadata.version('triton')}, torch {importlib.metadata.version('torch')}; {self.arch}"
        )

    def fingerprint(self) -> str:
        return compiler.digest([_SCRIPT, self.backend, self.arch, repr(self._chip)])

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Run ``launch`` in a process of its own, compiling what it launches; see `ARGUMENTS` for what it needs."""
        compiler.require_known_options(self.name, source, frozenset({"debug"}))
        for lack in self.missing():
            raise InfrastructureError(
                f"triton_gpu cannot build: {lack.what} is missing; install it with: {lack.install}"
            )
        out = out.resolve()
        folder = out / "source"
        shutil.copytree(source.folder, folder, dirs_exist_ok=True)
        device = out / "device"
        device.mkdir(exist_ok=True)
        request = {
            "source": str(folder / source.main),
            "arguments": str(_arguments(source)),
            "backend": self.backend,
            "arch": self.arch.removeprefix("sm_"),
            "wave": self._chip.wave,
            "shared_limit": self._chip.shared_bytes,
            "multiprocessors": self._chip.units,
            "out": str(device),
        }
        (device / "request.json").write_text(json.dumps(request))
        argv = (sys.executable, "-I", str(_SCRIPT), str(device / "request.json"))
        (ran,) = compiler.run([argv], folder, compiler.Deadline(timeout_s), _environment(out))
        shutil.rmtree(out / "cache", ignore_errors=True)
        return _build(source, ran, device, folder / source.main, timeout_s)


def _environment(out: Path) -> dict[str, str]:
    # An interpreting or otherwise adjusted Triton in the caller's environment must not reach the compiler.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "PYTHON"))}
    return {
        **kept,
        "TRITON_CACHE_DIR": str(out / "cache"),
        "TRITON_DUMP_PTXAS_LOG": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HIP_VISIBLE_DEVICES": "",
    }


def _arguments(source: Source) -> Path:
    named = source.defines.get(ARGUMENTS)
    if not named:
        raise InputError(f"define {ARGUMENTS}", "is not given", "name the JSON file with the arguments of launch")
    folders = [source.folder, *(p if p.is_dir() else p.parent for p in source.include)]
    for place in (Path(named), *(folder / named for folder in folders)):
        if place.is_file():
            return place.resolve()
    raise InputError(
        f"define {ARGUMENTS}", f"there is no file {named!r}", "give its path, or its name in an include folder"
    )


def _build(source: Source, ran: compiler.Ran, device: Path, artefact: Path, timeout_s: float) -> Build:
    try:
        record = json.loads((device / "record.json").read_text())
        found = tuple(
            Diagnostic(str(e["file"]) or source.main, int(e["line"]), int(e["column"]), "error", str(e["message"]))
            for e in record["errors"]
        )
        resources = tuple(
            KernelResources(
                kernel=str(k["name"]),
                registers=k.get("registers"),
                scalar_registers=k.get("scalar_registers"),
                spills=k.get("spills"),
                shared_bytes=k.get("shared"),
                occupancy_waves=k.get("occupancy"),
            )
            for k in record["kernels"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        found, resources = (_no_record(source, ran, timeout_s),), ()
    ok = ran.ok and not found and bool(resources)
    if not ok and not found:
        found = (_no_record(source, ran, timeout_s),)
    return Build(artefact if ok else None, ran.output, found, resources, (ran.argv,))


def _no_record(source: Source, ran: compiler.Ran, timeout_s: float) -> Diagnostic:
    if ran.status is None:
        text = f"launch and its kernels were not compiled within {timeout_s:g} s"
    else:
        last = next((line for line in reversed(ran.output.splitlines()) if line.strip()), "no output")
        text = f"the compiling process ended with status {ran.status} and no result: {last[:300]}"
    return Diagnostic(source.main, 0, 0, "error", text)
