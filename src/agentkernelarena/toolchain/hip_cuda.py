"""HIP for NVIDIA GPUs: nvcc with this package's own slim HIP headers over CUDA's.

The library carries its CUDA runtime inside (``--cudart static``). For: it loads by ctypes anywhere, without a search
path and whatever version of the shared runtime the process already holds (PyTorch brings its own); its error state is
its own, so that a failure left by one library is not seen by another. Against: a megabyte a library, and one runtime
state for each. Streams and memory are the driver's and pass freely between runtimes, which is all that launchers need.

A wavefront is a warp of 32 lanes. What is AMD's alone (amdgcn built-in functions, GCN assembly, clang's vector
extensions, ``_Float16``) cannot be compiled here. clang could compile the device side too, against the same headers;
nvcc is what is used, because its ptxas and its optimiser are the ones that a CUDA installation is measured with.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

from agentkernelarena.errors import InfrastructureError, InputError
from agentkernelarena.toolchain import Build, Missing, Source, compiler
from agentkernelarena.toolchain.diagnostic import (
    no_entry_point,
    nvcc_diagnostics,
    ptxas_resources,
    unexplained_failure,
)
from agentkernelarena.toolchain.symbol import ENTRY_POINT, defined_functions

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
                 "sm_103", "sm_103a", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_121", "sm_121a")  # fmt: skip
"""What nvcc 13.0 generates code for; the ``a`` variants have the instructions of one generation only."""

_INCLUDE = Path(__file__).parent / "include"
_HEADERS = (_INCLUDE / "cuda", _INCLUDE / "portable")
_FLAGS = (
    *("-x", "cu", "-std=c++17", "-O3", "--shared", "--cudart", "static", "-Xcompiler", "-fPIC"),
    *("-Xptxas", "-v", "-Xlinker", "-z,defs"),
    # HIP has one double4 and one long4: CUDA 13's advice to choose an alignment would greet every user of them.
    "-D__NV_NO_VECTOR_DEPRECATION_DIAG=1",
)
_OPTIONS = frozenset({"debug"})
_PIP = "pip install nvidia-cuda-nvcc==13.0.* nvidia-cuda-crt==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-runtime==13.0.*"


class HipCuda:
    """HIP for one NVIDIA architecture, such as ``sm_90``; the artefact is a library with a host function ``launch``."""

    name = "hip_cuda"
    language = "hip"

    def __init__(self, arch: str) -> None:
        if arch not in ARCHITECTURES:
            raise InputError("NVIDIA architecture", f"there is no {arch!r}", f"known: {', '.join(ARCHITECTURES)}")
        self.arch = arch
        self._nvcc = _nvcc()

    def missing(self) -> list[Missing]:
        lacks: list[Missing] = []
        if self._nvcc is None:
            lacks.append(Missing("nvcc", _PIP))
        if compiler.find(["g++"]) is None:
            lacks.append(Missing("g++ (nvcc's host compiler)", "apt-get install g++"))
        return lacks

    def version(self) -> str:
        if self._nvcc is None:
            return f"hip_cuda {self.arch}: no nvcc"
        text = compiler.version_text(self._nvcc)
        number = re.search(r"V(\d+\.\d+\.\d+)", text)
        host = compiler.find(["g++"])
        first = compiler.version_text(host).splitlines()[:1] if host else []
        return f"nvcc {number[1] if number else 'of unknown version'}; {first[0] if first else 'no g++'}; {self.arch}"

    def fingerprint(self) -> str:
        return compiler.digest([*_HEADERS, *_FLAGS, self.arch])

    def build(self, source: Source, out: Path, timeout_s: float) -> Build:
        """Compile and link; fails when either does, or when no ``extern "C"`` function launch is defined."""
        compiler.require_known_options(self.name, source, _OPTIONS)
        for lack in self.missing():
            raise InfrastructureError(f"hip_cuda cannot build: {lack.what} is missing; install it with: {lack.install}")
        deadline = compiler.Deadline(timeout_s)
        library = out.resolve() / "kernel.so"
        debug = ["-lineinfo"] if "debug" in source.options else []
        include = [*(f"-I{folder}" for folder in _HEADERS), *compiler.preprocessor_arguments(source)]
        argv = [str(self._nvcc), f"-arch={self.arch}", *_FLAGS, *debug, *include, source.main, "-o", str(library)]
        # Intermediate files go where the build may write.
        ran = compiler.run([argv], source.folder, deadline, {**os.environ, "TMPDIR": str(library.parent)})
        log = ran[0].output
        found = nvcc_diagnostics(log, source)
        ok = ran[0].ok and library.is_file()
        if ok and ENTRY_POINT not in defined_functions(library):
            found, ok = (*found, no_entry_point(source)), False
        if not ok and not any(d.severity == "error" for d in found):
            found = (*found, unexplained_failure(source, ran, deadline))
        return Build(library if ok else None, log, found, ptxas_resources(log), (tuple(argv),))


def _nvcc() -> Path | None:
    roots = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    return compiler.find(
        [*(f"{root}/bin/nvcc" for root in roots if root), "nvcc", "/usr/local/cuda/bin/nvcc", *_wheel()]
    )


def _wheel() -> list[str]:
    """Where NVIDIA's wheels put nvcc: nvidia/cu13/bin in site-packages."""
    spec = importlib.util.find_spec("nvidia")
    places = (spec.submodule_search_locations or []) if spec else []
    return [str(nvcc) for place in places for nvcc in sorted(Path(place).glob("cu*/bin/nvcc"), reverse=True)]
