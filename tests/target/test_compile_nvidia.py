"""HIP for NVIDIA GPUs that are not there: what nvcc compiles with our headers, what it refuses, and where."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from agentkernelarena.toolchain import Build, Source
from agentkernelarena.toolchain.hip_cuda import HipCuda
from agentkernelarena.toolchain.symbol import defined_functions

KERNELS = Path(__file__).parent / "kernels"

pytestmark = pytest.mark.skipif(
    bool(HipCuda("sm_90").missing()),
    reason="; ".join(f"{m.what} is missing: {m.install}" for m in HipCuda("sm_90").missing()) or "complete",
)


def build(arch: str, source: str | Path, tmp_path: Path, **more: object) -> Build:
    if isinstance(source, Path):
        return HipCuda(arch).build(Source(source.parent, source.name, **more), tmp_path, 240)
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernel.hip").write_text(source)
    return HipCuda(arch).build(Source(folder, "kernel.hip", **more), tmp_path, 240)


def errors(built: Build) -> list[str]:
    return [str(d) for d in built.diagnostics if d.severity == "error"]


ALL = ["rmsnorm_half", "matmul_tiled", "narrow_types", "wave_and_atomic", "host_interface"]
CASES = [("sm_90", kernel) for kernel in ALL] + [("sm_100", "wave_and_atomic")]


@pytest.mark.parametrize(("arch", "kernel"), CASES)
def test_kernels_compile_to_a_library_with_a_launcher(arch: str, kernel: str, tmp_path: Path) -> None:
    built = build(arch, KERNELS / f"{kernel}.hip", tmp_path)
    assert built.ok, built.log
    assert "launch" in defined_functions(built.artefact)
    text = (KERNELS / f"{kernel}.hip").read_text()
    defined = set(re.findall(r"__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(", text))
    named = {re.sub(r"<.*", "", r.kernel.removeprefix("void ").split("(")[0]) for r in built.resources}
    assert named - {"aka_fill"} == defined
    assert all(r.registers > 0 and r.spills == 0 for r in built.resources)


def test_a_library_loads_without_a_gpu_and_without_a_search_path(tmp_path: Path) -> None:
    built = build("sm_90", KERNELS / "matmul_tiled.hip", tmp_path)
    assert ctypes.CDLL(str(built.artefact)).launch
    assert [r.shared_bytes for r in built.resources] == [2 * 16 * 17 * 4]


KERNEL = """#include <hip/hip_runtime.h>
float elsewhere(int);
__global__ void kernel(float* y, int n) {
  __shared__ float s[COUNT];
  s[threadIdx.x] = n;
  __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x * 77) % COUNT];
}
extern "C" void launch(float* y, int64_t n, hipStream_t stream) { kernel<<<1, 256, 0, stream>>>(y, n); }
"""


def test_80_kb_of_static_shared_memory_is_too_much(tmp_path: Path) -> None:
    built = build("sm_90", KERNEL, tmp_path, defines={"COUNT": "20480"})
    assert built.artefact is None
    assert errors(built) == [
        "kernel.hip: error: Entry function 'kernel(float*, int)' uses too much shared data (0x14000 bytes, 0xc000 max)"
    ]


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    text = KERNEL.replace("s[threadIdx.x] = n", "s[threadIdx.x] = no_such_name").replace("(y, n)", "(y, n, 1)")
    built = build("sm_90", text, tmp_path, defines={"COUNT": "256"})
    assert built.artefact is None
    assert 'kernel.hip:5: error: identifier "no_such_name" is undefined' in errors(built)
    assert any(e.startswith("kernel.hip:9: error: too many arguments") for e in errors(built))


def test_an_amd_instruction_is_refused(tmp_path: Path) -> None:
    text = KERNEL.replace("= n;", "= __builtin_amdgcn_readfirstlane(n);")
    built = build("sm_90", text, tmp_path, defines={"COUNT": "256"})
    assert any(e.startswith('kernel.hip:5: error: identifier "__builtin_amdgcn_readfirstlane"') for e in errors(built))


def test_an_undefined_host_function_is_an_error(tmp_path: Path) -> None:
    built = build("sm_90", KERNEL.replace("(y, n);", "(y, elsewhere(n));"), tmp_path, defines={"COUNT": "256"})
    assert built.artefact is None
    assert "kernel.hip: error: undefined symbol elsewhere(int)" in errors(built)


def test_a_missing_entry_point_is_an_error(tmp_path: Path) -> None:
    built = build("sm_90", KERNEL.replace('extern "C" ', ""), tmp_path, defines={"COUNT": "256"})
    assert built.artefact is None
    assert "launch" in errors(built)[-1]


def test_a_slow_compile_ends_at_the_deadline(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernel.hip").write_text(KERNEL)
    built = HipCuda("sm_90").build(Source(folder, "kernel.hip", defines={"COUNT": "64"}), tmp_path, 0.05)
    assert built.artefact is None
    assert "not done within 0.05 s" in errors(built)[-1]


def test_every_name_that_hip_is_mapped_to_exists_in_cuda() -> None:
    headers = Path(__file__).parents[2] / "src/agentkernelarena/toolchain/include/cuda/hip"
    mapped = re.findall(r"#define hip\w+ (cuda\w+)", (headers / "hip_runtime_api.h").read_text())
    assert len(mapped) > 150
    nvcc = HipCuda("sm_90")._nvcc
    root = next(
        p for p in [nvcc.resolve().parent.parent, Path("/usr/local/cuda")] if (p / "include/cuda_runtime.h").is_file()
    )
    words = set()
    for header in (root / "include").glob("*.h"):
        words.update(re.findall(r"\w+", header.read_text(errors="replace")))
    assert sorted(set(mapped) - words) == []


def test_host_conversions_have_the_values_of_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    built = build("sm_90", KERNELS / "host_conversions.hip", tmp_path)
    assert built.ok, built.log
    library = ctypes.CDLL(str(built.artefact))
    got = np.empty(256, np.float32)
    for kind, name in enumerate(["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]):
        library.decode_fp8(got.ctypes.data_as(ctypes.c_void_p), kind)
        want = torch.arange(256, dtype=torch.uint8).view(getattr(torch, f"float8_{name}")).float().numpy()
        np.testing.assert_array_equal(got, want)
    x = (np.random.default_rng(3).standard_normal(4000) * 100).astype(np.float32)
    half, newer, older = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    library.launch(*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, half, newer, older)), ctypes.c_int64(len(x)), None)
    np.testing.assert_array_equal(half, x.astype(np.float16).astype(np.float32))
    np.testing.assert_array_equal(newer, torch.from_numpy(x).bfloat16().float().numpy())
    np.testing.assert_array_equal(older, newer)
