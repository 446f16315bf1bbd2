"""The path through a ROCm installation, against a stand-in for one: clang behind its compiler's name, a runtime that
counts launches. It shows that the command line gives a loadable library; it says nothing about a GPU."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentkernelarena.toolchain import Source, device_library
from agentkernelarena.toolchain.hip_amd import HipAmd

KERNELS = Path(__file__).parent / "kernels"
CLANG = shutil.which("clang++-22")
BUNDLER = Path(os.path.realpath(CLANG or "/")).parent / "clang-offload-bundler"

RUNTIME = """
int aka_launches = 0;
int hipLaunchKernel(void) { return ++aka_launches, 0; }
int __hipPushCallConfiguration(void) { return 0; }
int __hipPopCallConfiguration(void) { return 0; }
void* __hipRegisterFatBinary(void) { return 0; }
void __hipUnregisterFatBinary(void) {}
void __hipRegisterFunction(void) {}
"""

COMPILER = """#!/bin/sh
exec {clang} "$@" -nogpuinc -include __clang_hip_runtime_wrapper.h -D__HIP_PLATFORM_AMD__=1 -isystem {headers} \\
  -isystem {ours} --rocm-device-lib-path={bitcode} -no-hip-rt -L{root}/lib -Wl,-rpath,{root}/lib -lamdhip64
"""


@pytest.fixture
def rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    triton = device_library.triton_folder()
    if CLANG is None or triton is None or not BUNDLER.exists() or not shutil.which("gcc"):
        pytest.skip("needs gcc, Triton's wheel, and clang-22, lld-22 and clang-tools-22 (apt-get install)")
    root = tmp_path / "rocm"
    (root / "bin").mkdir(parents=True)
    (root / "lib").mkdir()
    (root / "runtime.c").write_text(RUNTIME)
    command = ["gcc", "-w", "-shared", "-fPIC", str(root / "runtime.c"), "-o", str(root / "lib" / "libamdhip64.so")]
    subprocess.run(command, check=True)
    bitcode = device_library.folder(Path(CLANG), triton / "lib", tmp_path)
    ours = Path(device_library.__file__).parent / "include" / "amd"
    program = root / "bin" / "amdclang++"
    program.write_text(COMPILER.format(clang=CLANG, headers=triton / "include", ours=ours, bitcode=bitcode, root=root))
    program.chmod(0o755)
    monkeypatch.setenv("ROCM_PATH", str(root))
    return root


def test_a_build_with_rocm_is_a_library_whose_launcher_runs(rocm: Path, tmp_path: Path) -> None:
    toolchain = HipAmd("gfx942:sramecc+:xnack-")
    assert toolchain.loadable
    assert toolchain.missing() == []
    assert str(rocm) in toolchain.version()
    out = tmp_path / "out"
    out.mkdir()
    built = toolchain.build(Source(KERNELS, "matmul_tiled.hip"), out, 120)
    assert built.ok, built.log
    assert [(r.registers > 0, r.shared_bytes) for r in built.resources] == [(True, 2176)]
    library = ctypes.CDLL(str(built.artefact))
    library.launch.restype = None
    library.launch(*[None] * 3, *[ctypes.c_int64(8)] * 3, None)
    launches = ctypes.c_int.in_dll(ctypes.CDLL(str(rocm / "lib" / "libamdhip64.so")), "aka_launches")
    assert launches.value == 1


def test_undefined_and_missing_functions_fail_with_rocm_too(rocm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    text = '#include <hip/hip_runtime.h>\nint elsewhere();\nextern "C" void {name}(hipStream_t) {{ {body} }}\n'
    (folder / "kernel.hip").write_text(text.format(name="launch", body="elsewhere();"))
    built = HipAmd("gfx942").build(Source(folder, "kernel.hip"), tmp_path, 120)
    assert built.artefact is None
    assert any("elsewhere()" in str(d) for d in built.diagnostics)
    (folder / "kernel.hip").write_text(text.format(name="lunch", body=""))
    built = HipAmd("gfx942").build(Source(folder, "kernel.hip"), tmp_path, 120)
    assert built.artefact is None
    assert "launch" in str(built.diagnostics[-1])
