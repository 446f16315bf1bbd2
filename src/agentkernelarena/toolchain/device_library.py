"""The folder of bitcode that clang links into AMD device code, made without a ROCm installation.

clang wants ocml.bc and ockl.bc (the mathematics and the runtime support of the device) and one tiny file for every
property that the two ask about: architecture, code-object version, flush and rounding modes. Triton's wheel carries the
two large files; the tiny ones are one constant each and are written here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from agentkernelarena.errors import InfrastructureError
from agentkernelarena.toolchain import compiler

_TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n'
_CONSTANT = "@{symbol} = linkonce_odr protected local_unnamed_addr addrspace(4) constant {type} {value}\n"

ISA = {"gfx90a": 9010, "gfx942": 9402, "gfx950": 9500, "gfx1100": 11000}
"""Architecture -> the number that ocml and ockl know it by: major * 1000 + minor * 100 + stepping."""

_CODE_OBJECT_VERSIONS = (400, 500, 600)
_SWITCHES = {
    "daz_opt": "__oclc_daz_opt",
    "unsafe_math": "__oclc_unsafe_math_opt",
    "finite_only": "__oclc_finite_only_opt",
    "correctly_rounded_sqrt": "__oclc_correctly_rounded_sqrt32",
    "wavefrontsize64": "__oclc_wavefrontsize64",
}


def modules() -> dict[str, str]:
    """File stem -> LLVM IR of every tiny module of the folder."""

    def constant(symbol: str, kind: str, value: int) -> str:
        return _TRIPLE + _CONSTANT.format(symbol=symbol, type=kind, value=value)

    made = {
        f"oclc_isa_version_{arch.removeprefix('gfx')}": constant("__oclc_ISA_version", "i32", number)
        for arch, number in ISA.items()
    }
    for version in _CODE_OBJECT_VERSIONS:
        made[f"oclc_abi_version_{version}"] = constant("__oclc_ABI_version", "i32", version)
    for stem, symbol in _SWITCHES.items():
        made[f"oclc_{stem}_off"] = constant(symbol, "i8", 0)
        made[f"oclc_{stem}_on"] = constant(symbol, "i8", 1)
    # Where the size of a wavefront is known, ockl asks for its logarithm too.
    for stem, exponent in (("off", 5), ("on", 6)):
        made[f"oclc_wavefrontsize64_{stem}"] += _CONSTANT.format(
            symbol="__oclc_wavefrontsize_log2", type="i32", value=exponent
        )
    # clang takes the folder for a device library only when it holds this file; no HIP kernel needs what is in it.
    made["opencl"] = constant("__aka_no_opencl", "i8", 0)
    return made


def triton_folder() -> Path | None:
    """Triton's AMD backend folder (bitcode in lib/, HIP headers in include/), without importing triton."""
    spec = importlib.util.find_spec("triton")
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "backends" / "amd"
        if (folder / "lib" / "ocml.bc").is_file() and (folder / "include" / "hip" / "hip_runtime.h").is_file():
            return folder
    return None


def folder(clang: Path, bitcode: Path, fallback: Path) -> Path:
    """The device library for `clang` out of the ocml.bc and ockl.bc in `bitcode`: made once, then kept in the cache.

    Where the cache cannot be written (a confined build), it is made below `fallback` instead, in half a second.
    """
    key = compiler.digest(
        [*modules(), *modules().values(), compiler.version_text(clang), bitcode / "ocml.bc", bitcode / "ockl.bc"]
    )
    kept = compiler.cache_folder() / "device_library" / key[:24]
    if kept.is_dir():
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=kept.parent))
    except OSError:
        scratch = Path(tempfile.mkdtemp(prefix="device-library-", dir=fallback))
        _make(clang, bitcode, scratch)
        return scratch
    try:
        _make(clang, bitcode, scratch)
        os.rename(scratch, kept)
    except OSError:
        # Another process was quicker: its folder has the same content, because the name is a digest of it.
        if not kept.is_dir():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return kept


def _make(clang: Path, bitcode: Path, place: Path) -> None:
    for stem, text in modules().items():
        (place / f"{stem}.ll").write_text(text)
    flags = ["-x", "ir", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-emit-llvm", "-c"]
    quiet = ["-Wno-override-module", "-Wno-unused-command-line-argument"]
    (made,) = compiler.run(
        [[str(clang), *flags, *quiet, *(f"{stem}.ll" for stem in modules())]], place, compiler.Deadline(120)
    )
    if not made.ok:
        raise InfrastructureError(f"clang could not make the AMD device library:\n{made.output}")
    for stem in modules():
        (place / f"{stem}.ll").unlink()
    for name in ("ocml.bc", "ockl.bc"):
        # Copies, not links: a kept folder stays whole when the wheel it came from is replaced.
        shutil.copyfile(bitcode / name, place / name)
