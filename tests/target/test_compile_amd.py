"""The compile gate for AMD GPUs that are not there: what compiles, what each architecture refuses, and where."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.toolchain import Build, Source
from agentkernelarena.toolchain.hip_amd import ARCHITECTURES, HipAmd

KERNELS = Path(__file__).parent / "kernels"
E_FLAGS = {"gfx90a": 0x3F, "gfx942": 0x4C, "gfx950": 0x4F, "gfx1100": 0x41}
"""The processor number in the ELF header of a code object (LLVM, AMDGPU usage: EF_AMDGPU_MACH)."""

needs_compiler = pytest.mark.skipif(
    bool(HipAmd("gfx942").missing()),
    reason="; ".join(f"{m.what} is missing: {m.install}" for m in HipAmd("gfx942").missing()) or "complete",
)
needs_gate = pytest.mark.skipif(HipAmd("gfx942").loadable, reason="ROCm is installed: builds give libraries here")
pytestmark = [needs_compiler, needs_gate]


def build(arch: str, source: str | Path, tmp_path: Path, **more: object) -> Build:
    if isinstance(source, Path):
        return HipAmd(arch).build(Source(source.parent, source.name, **more), tmp_path, 120)
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernel.hip").write_text(source)
    return HipAmd(arch).build(Source(folder, "kernel.hip", **more), tmp_path, 120)


def errors(built: Build) -> list[str]:
    return [str(d) for d in built.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    "kernel", ["rmsnorm_half", "matmul_tiled", "narrow_types", "wave_and_atomic", "host_interface"]
)
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_kernels_compile_for_every_architecture(arch: str, kernel: str, tmp_path: Path) -> None:
    built = build(arch, KERNELS / f"{kernel}.hip", tmp_path)
    assert built.ok, built.log
    code = built.artefact.read_bytes()
    assert code[:4] == b"\x7fELF"
    assert int.from_bytes(code[0x12:0x14], "little") == 224, "EM_AMDGPU"
    assert int.from_bytes(code[0x30:0x34], "little") & 0xFF == E_FLAGS[arch]
    defined = set(
        re.findall(r"__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(", (KERNELS / f"{kernel}.hip").read_text())
    )
    assert {re.sub(r"<.*", "", r.kernel.removeprefix("void ").split("(")[0]) for r in built.resources} == defined
    for resources in built.resources:
        assert resources.registers > 0
        assert resources.scalar_registers > 0
        assert resources.spills == 0
        assert 1 <= resources.occupancy_waves <= (16 if arch == "gfx1100" else 8)


def test_static_shared_memory_is_reported(tmp_path: Path) -> None:
    built = build("gfx942", KERNELS / "matmul_tiled.hip", tmp_path)
    assert [r.shared_bytes for r in built.resources] == [2 * 16 * 17 * 4]


LDS_80_KB = """#include <hip/hip_runtime.h>
__global__ void kernel(float* y, int n) {
  __shared__ float s[20480];
  s[threadIdx.x] = n;
  __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x * 77) % 20480];
}
extern "C" void launch(float* y, int64_t n, hipStream_t stream) { kernel<<<1, 256, 0, stream>>>(y, n); }
"""


def test_80_kb_of_lds_is_too_much_for_gfx942(tmp_path: Path) -> None:
    built = build("gfx942", LDS_80_KB, tmp_path)
    assert built.artefact is None
    assert any(
        re.match(r"kernel\.hip:2:\d+: error: local memory \(81920\) exceeds limit \(65536\)", e) for e in errors(built)
    )


def test_80_kb_of_lds_fit_gfx950(tmp_path: Path) -> None:
    built = build("gfx950", LDS_80_KB, tmp_path)
    assert built.ok, built.log
    assert built.resources[0].shared_bytes == 81920


MFMA_GFX950 = """#include <hip/hip_runtime.h>
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float4_ __attribute__((ext_vector_type(4)));
__global__ void kernel(const half8* a, float4_* c) {
  c[0] = __builtin_amdgcn_mfma_f32_16x16x32_f16(a[0], a[1], c[0], 0, 0, 0);
}
extern "C" void launch(const half8* a, float4_* c, hipStream_t stream) { kernel<<<1, 64, 0, stream>>>(a, c); }
"""


def test_an_instruction_of_gfx950_is_refused_for_gfx942(tmp_path: Path) -> None:
    built = build("gfx942", MFMA_GFX950, tmp_path)
    assert built.artefact is None
    assert errors(built) == [
        "kernel.hip:5:10: error: '__builtin_amdgcn_mfma_f32_16x16x32_f16' needs target feature gfx950-insts"
    ]


def test_an_instruction_of_gfx950_compiles_for_gfx950(tmp_path: Path) -> None:
    assert build("gfx950", MFMA_GFX950, tmp_path).ok


def test_device_and_host_errors_name_file_and_line_once(tmp_path: Path) -> None:
    text = """#include <hip/hip_runtime.h>
#include "part.h"
__global__ void kernel(float* y) {
  y[0] = no_such_name;
}
extern "C" void launch(float* y, hipStream_t stream) {
  kernel<<<1, 64, 0, stream>>>(y, 1);
}
"""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "part.h").write_text("#pragma once\ninline int broken() { return }\n")
    (folder / "kernel.hip").write_text(text)
    built = HipAmd("gfx942").build(Source(folder, "kernel.hip"), tmp_path, 120)
    assert built.artefact is None
    found = errors(built)
    assert "part.h:2:30: error: expected expression" in found
    assert "kernel.hip:4:10: error: use of undeclared identifier 'no_such_name'" in found
    assert any(e.startswith("kernel.hip:7:") for e in found), "the launcher's own error"
    assert len(found) == len(set(found))


@pytest.mark.parametrize("head", ["void launch", 'extern "C" void lunch'])
def test_a_missing_entry_point_is_an_error(head: str, tmp_path: Path) -> None:
    text = LDS_80_KB.replace("20480", "64").replace('extern "C" void launch', head)
    built = build("gfx942", text, tmp_path)
    assert built.artefact is None
    assert any("launch" in e for e in errors(built))


def test_an_undefined_device_function_is_an_error(tmp_path: Path) -> None:
    text = LDS_80_KB.replace("20480", "64").replace("__global__", "__device__ float elsewhere(float);\n__global__", 1)
    built = build("gfx942", text.replace("y[threadIdx.x] = s[", "y[threadIdx.x] = elsewhere(1.0f) + s["), tmp_path)
    assert built.artefact is None
    assert "kernel.hip: error: undefined hidden symbol: elsewhere(float)" in errors(built)


def test_generated_headers_and_defines_reach_both_sides(tmp_path: Path) -> None:
    include = tmp_path / "include"
    include.mkdir()
    (include / "operator.h").write_text(
        '#pragma once\n#include <hip/hip_runtime.h>\nextern "C" void launch(float*, hipStream_t);\n'
    )
    text = """#include "operator.h"
__global__ void kernel(float* y) { y[0] = AKA_VALUE; }
extern "C" void launch(float* y, hipStream_t stream) { kernel<<<AKA_VALUE, 64, 0, stream>>>(y); }
"""
    built = build("gfx942", text, tmp_path, include=(include,), defines={"AKA_VALUE": "3"})
    assert built.ok, built.log
    (tmp_path / "source" / "kernel.hip").write_text(text.replace("launch(float* y", "launch(double* y"))
    source = Source(tmp_path / "source", "kernel.hip", (include,), {"AKA_VALUE": "3"})
    wrong = HipAmd("gfx942").build(source, tmp_path, 120)
    assert any(re.match(r"kernel\.hip:3:\d+: error: conflicting types for 'launch'", e) for e in errors(wrong))


def test_a_slow_compile_ends_at_the_deadline(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernel.hip").write_text(LDS_80_KB)
    built = HipAmd("gfx950").build(Source(folder, "kernel.hip"), tmp_path, 0.05)
    assert built.artefact is None
    assert "not done within 0.05 s" in errors(built)[-1]


def test_an_unknown_option_is_an_error_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown option 'asan'"):
        build("gfx942", LDS_80_KB, tmp_path, options=frozenset({"asan"}))


FORMATS = [(0, "e4m3fn"), (1, "e5m2"), (2, "e4m3fnuz"), (3, "e5m2fnuz")]


class TestConversions:
    """The number types' headers, on the host, against torch's and NumPy's."""

    @pytest.fixture(scope="class")
    @classmethod
    def library(cls, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
        if not shutil.which("g++"):
            pytest.skip("g++ links the host object: apt-get install g++")
        out = tmp_path_factory.mktemp("conversions")
        built = build("gfx942", KERNELS / "host_conversions.hip", out)
        assert built.ok, built.log
        subprocess.run(["g++", "-shared", str(out / "host.o"), "-o", str(out / "host.so")], check=True)
        return ctypes.CDLL(str(out / "host.so"))

    @pytest.mark.parametrize(("kind", "name"), FORMATS)
    def test_every_8_bit_code_has_torchs_value(self, library: ctypes.CDLL, kind: int, name: str) -> None:
        torch = pytest.importorskip("torch")
        got = np.empty(256, np.float32)
        library.decode_fp8(got.ctypes.data_as(ctypes.c_void_p), kind)
        want = torch.arange(256, dtype=torch.uint8).view(getattr(torch, f"float8_{name}")).float().numpy()
        np.testing.assert_array_equal(got, want)

    @pytest.mark.parametrize(("kind", "name"), FORMATS)
    def test_rounding_to_8_bits_is_to_the_nearest_even_code(self, library: ctypes.CDLL, kind: int, name: str) -> None:
        torch = pytest.importorskip("torch")
        values = torch.arange(256, dtype=torch.uint8).view(getattr(torch, f"float8_{name}")).double().numpy()
        codes = np.flatnonzero(np.isfinite(values) & (values >= 0))
        codes = codes[np.argsort(values[codes], kind="stable")]
        levels, first = np.unique(values[codes], return_index=True)
        codes = codes[first]
        middles = (levels[1:] + levels[:-1]) / 2
        x = np.concatenate([levels, middles, np.nextafter(middles.astype(np.float32), np.inf), [1e9, np.inf]]).astype(
            np.float32
        )
        distance = np.abs(np.minimum(x, levels[-1]).astype(np.float64)[:, None] - levels)
        best = distance.min(axis=1, keepdims=True)
        tied = distance == best
        even = tied & (codes % 2 == 0)
        choice = np.where(tied.sum(axis=1) > 1, even.argmax(axis=1), tied.argmax(axis=1))
        got = np.empty(len(x), np.uint8)
        for sign in (0, 1):
            signed = np.ascontiguousarray(-x if sign else x)
            library.encode_fp8(signed.ctypes.data_as(ctypes.c_void_p), got.ctypes.data_as(ctypes.c_void_p),
                               ctypes.c_int64(len(x)), kind, 1)  # fmt: skip
            zero_is_positive = name.endswith("fnuz") & (codes[choice] == 0)
            np.testing.assert_array_equal(got, codes[choice] | np.where(zero_is_positive, 0, sign << 7))

    @pytest.mark.parametrize(("kind", "code"), [(0, 0x7F), (1, 0x7C), (2, 0x80), (3, 0x80)])
    def test_overflow_without_saturation(self, library: ctypes.CDLL, kind: int, code: int) -> None:
        x, got = np.array([1e9, np.nan], np.float32), np.empty(2, np.uint8)
        library.encode_fp8(
            x.ctypes.data_as(ctypes.c_void_p), got.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(2), kind, 0
        )
        assert got.tolist() == [code, 0x80 if kind > 1 else 0x7F]

    def test_half_and_bfloat16_round_as_numpy_and_torch(self, library: ctypes.CDLL) -> None:
        torch = pytest.importorskip("torch")
        rng = np.random.default_rng(3)
        x = np.concatenate([rng.standard_normal(4000) * 10.0 ** rng.integers(-8, 6, 4000),
                            [0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, 65520.0, 257 / 256, 259 / 256]])  # fmt: skip
        x = x.astype(np.float32)
        half, newer, older = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, half, newer, older)]
        library.launch(*pointers, ctypes.c_int64(len(x)), None)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(half, x.astype(np.float16).astype(np.float32))
        want = torch.from_numpy(x).bfloat16().float().numpy()
        np.testing.assert_array_equal(newer, want)
        np.testing.assert_array_equal(older, want)
