"""HIP on the CPU: builds and their messages, rules of the programming model, limits, number formats, ASan."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from agentkernelarena.errors import InputError
from agentkernelarena.toolchain import Build, Source
from agentkernelarena.toolchain.hip_cpu import HipCpu

FOLDER = Path(__file__).parent / "hip_cpu"
INVALID_VALUE, INVALID_CONFIGURATION, TOO_LARGE = 1, 9, 720

pytestmark = pytest.mark.skipif(bool(HipCpu().missing()), reason="needs g++ or clang++")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = HipCpu().build(Source(FOLDER, "rules.hip"), tmp_path_factory.mktemp("plain"), 250)
    assert build.artefact is not None, build.log
    return build.artefact


@pytest.fixture(scope="module")
def asan_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = frozenset({"asan", "wave32"})
    build = HipCpu().build(Source(FOLDER, "rules.hip", options=options), tmp_path_factory.mktemp("asan"), 280)
    assert build.artefact is not None, build.log
    return build.artefact


@dataclass(frozen=True)
class Called:
    code: int
    result: int
    y: list[float]
    error: str


def call(library: Path, name: str, n: int = 256, mode: int = 0, **environment: str) -> Called:
    command = [sys.executable, str(FOLDER / "call.py"), str(library), name, str(n), str(mode)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, env={**os.environ, **environment}
    )
    answer = json.loads(done.stdout) if done.stdout else {"result": -1, "y": []}
    return Called(done.returncode, answer["result"], answer["y"], done.stderr)


def build_text(text: str, tmp_path: Path, **more: object) -> Build:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir(), out.mkdir()
    (folder / "k.hip").write_text(text)
    return HipCpu().build(Source(folder, "k.hip", **more), out, 120)  # type: ignore[arg-type]


def place(text: str, occurrence: int = 0) -> str:
    """Where `text` stands in rules.hip, as messages write it."""
    lines = (FOLDER / "rules.hip").read_text().splitlines()
    return f"rules.hip:{[i for i, line in enumerate(lines, 1) if text in line][occurrence]}"


# ---- rules of the programming model
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("divergent_barrier", ["__syncthreads in kernel (some_barrier) block (0,", place("100) __syncthreads")]),
        ("barrier_of_two_places", ["two_barriers", place("__syncthreads", 1), place("__syncthreads", 2)]),
        (
            "divergent_shuffle",
            ["divergent __shfl_up", "two_shuffles", place("v = __shfl_down"), place("v = __shfl_up")],
        ),
        ("lanes_of_mask_missing", ["divergent __shfl_xor_sync", "masked_shuffle", "mask 000000000000ffff"]),
    ],
)
def test_divergence_ends_the_process_and_names_the_place(library: Path, name: str, words: list[str]) -> None:
    for order in ("forward", "reverse"):
        called = call(library, name, AKA_HIP_ORDER=order)
        assert called.code == -signal.SIGABRT
        assert "hip_cpu: divergent" in called.error
        for word in words:
            assert word in called.error


def test_lanes_may_vote_in_a_branch(library: Path) -> None:
    called = call(library, "branch_vote_is_legal", 128)
    assert called.y == [16.0 if t % 4 == 1 else 0.0 for t in range(128)]


def test_a_lane_that_takes_no_part_gives_zero(library: Path) -> None:
    called = call(library, "inactive_lane_reads_zero", 64)
    assert called.y == [5.0] * 8 + [0.0] * 8 + [5.0] * 48


def test_stack_overflow_is_named(library: Path) -> None:
    assert call(library, "stack", 4, 20).code == 0
    called = call(library, "stack", 4, 500)
    assert called.code == -signal.SIGSEGV
    assert "hip_cpu: stack overflow" in called.error
    assert "kernel (recurse) block (0,0,0)" in called.error


def test_wild_access_is_named(library: Path) -> None:
    called = call(library, "wild_write", 8)
    assert called.code == -signal.SIGSEGV
    assert "hip_cpu: invalid access" in called.error
    assert "kernel (far_away)" in called.error
    assert "thread (7,0,0)" in called.error


@pytest.mark.parametrize(
    ("result", "mode"),
    [
        *((0, mode) for mode in (0, 4, 6)),
        *((INVALID_VALUE, mode) for mode in (5, 7, 8)),
        *((INVALID_CONFIGURATION, mode) for mode in (1, 2, 3, 9, 10)),
    ],
)
def test_launch_limits(library: Path, result: int, mode: int) -> None:
    called = call(library, "limits", 32, mode)
    assert called.result == result
    assert called.y == ([1.0] if result == 0 else [-9.0]) * 32


def test_reverse_order_shows_a_missing_barrier(library: Path) -> None:
    right = [-1.0] + [float(t) for t in range(63)]
    assert call(library, "missing_barrier", 64).y == right
    assert call(library, "missing_barrier", 64, AKA_HIP_ORDER="reverse").y != right


def test_shared_memory_is_poisoned_for_every_block(library: Path) -> None:
    y = call(library, "poisoned_lds", 128, AKA_HIP_THREADS="1").y
    assert all(np.isnan(y[:64]))
    assert min(y[64:]) > 1e30


def test_thread_order(library: Path) -> None:
    assert call(library, "thread_order", 100).y == list(range(100))
    assert call(library, "thread_order", 100, AKA_HIP_ORDER="reverse").y == list(reversed(range(100)))


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_cooperative_launch(library: Path, threads: str) -> None:
    called = call(library, "cooperative", 6, 0, AKA_HIP_THREADS=threads)
    assert (called.code, called.result, called.y) == (0, 0, [1.0] * 6)
    some = call(library, "cooperative", 6, 1, AKA_HIP_THREADS=threads)
    assert some.code == -signal.SIGABRT
    assert "divergent grid sync in kernel grid_wide" in some.error
    assert call(library, "cooperative", 6, 2, AKA_HIP_THREADS=threads).code == -signal.SIGABRT
    assert call(library, "cooperative", 6, 3, AKA_HIP_THREADS=threads).result == TOO_LARGE


def test_launches_in_a_forked_child(library: Path) -> None:
    called = call(library, "branch_vote_is_legal", 128, FORK="1", AKA_HIP_THREADS="3")
    assert called.code == 0
    called = call(library, "cooperative", 6, 0, FORK="1", AKA_HIP_THREADS="3")
    assert (called.code, called.result, called.y) == (0, 0, [1.0] * 6)


def test_headers_of_a_submission_are_rewritten(library: Path) -> None:
    assert call(library, "header", 64).y == [float(63 - t) for t in range(64)]


# ---- number formats
def test_every_half(library: Path) -> None:
    out = np.zeros((3, 65536), np.uint16)
    assert ctypes.CDLL(str(library)).halves(out.ctypes.data_as(ctypes.c_void_p), 0, 0) == 0
    code = np.arange(65536, dtype=np.uint16)
    value = code.view(np.float16).astype(np.float64)
    number = ~np.isnan(value)
    assert np.array_equal(out[0][number], code[number])
    assert np.isnan(out[0][~number].view(np.float16)).all()
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = (code.view(np.float16).astype(np.float32) * np.float32(1.0003)).astype(np.float64)
        towards_zero = out[1].view(np.float16).astype(np.float64)
        finite = number & np.isfinite(scaled)
        assert (np.abs(towards_zero[finite]) <= np.abs(scaled[finite])).all()
        largest = np.abs(towards_zero) == 65504.0
        above = np.nextafter(out[1].view(np.float16), np.copysign(np.float16(np.inf), out[1].view(np.float16)))
        assert (np.abs(above.astype(np.float64)) > np.abs(scaled))[finite & ~largest].all()
        b = (code * np.uint16(40503)).view(np.float16).astype(np.longdouble)
        c = (code * np.uint16(30011) + np.uint16(7)).view(np.float16).astype(np.longdouble)
        exact = value.astype(np.longdouble) * b + c  # in 64 bits
        step = np.ldexp(np.longdouble(1), np.maximum(np.frexp(exact)[1] - 1, -14) - 10)
        fused = (np.rint(exact / step) * step).astype(np.float64).astype(np.float16)
    same = (fused.view(np.uint16) == out[2]) | (np.isnan(fused) & np.isnan(out[2].view(np.float16)))
    assert same.all(), np.flatnonzero(~same)[:5]


def test_rounding_of_floats(library: Path) -> None:
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**32, 400_000, dtype=np.uint32)
    halfway = (np.arange(65536, dtype=np.uint32) << 16) | 0x8000  # ties of bfloat16
    with np.errstate(over="ignore"):
        codes = np.arange(0x7BFF, dtype=np.uint16).view(np.float16).astype(np.float64)
        middles = ((codes[:-1] + codes[1:]) / 2).astype(np.float32)  # ties of half
        x = np.concatenate([bits.view(np.float32), halfway.view(np.float32), middles, -middles])
        x = x[~np.isnan(x)]
        half, brain = np.zeros(len(x), np.uint16), np.zeros(len(x), np.uint16)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, half, brain)]
        assert ctypes.CDLL(str(library)).round_all(*pointers, len(x)) == 0
        assert np.array_equal(half, x.astype(np.float16).view(np.uint16))
    u = x.view(np.uint32).astype(np.uint64)
    low, high = u >> 16, (u >> 16) + 1
    rest = u & 0xFFFF
    expected = np.where((rest > 0x8000) | ((rest == 0x8000) & (low % 2 == 1)), high, low)
    assert np.array_equal(brain, expected.astype(np.uint16))


def test_special_functions(tmp_path: Path) -> None:
    functions = {"erfinv": special.erfinv, "normcdfinv": special.ndtri, "erfcx": special.erfcx, "normcdf": special.ndtr}
    functions |= {"sinpi": lambda v: np.sin(np.pi * v), "rcbrt": lambda v: 1 / np.cbrt(v)}
    text = '#include <hip/hip_runtime.h>\nextern "C" void launch() {}\n'
    for name in functions:
        text += f'extern "C" void test_{name}(const double* x, double* y, int n) {{\n'
        text += f"  for (int i = 0; i < n; ++i) y[i] = {name}(x[i]);\n}}\n"
    build = build_text(text, tmp_path)
    assert build.artefact is not None, build.log
    loaded = ctypes.CDLL(str(build.artefact))
    unit = np.concatenate([np.linspace(0.0005, 0.9995, 999), [1e-12, 1 - 1e-12]])
    for name, reference in functions.items():
        x = unit if name in ("erfinv", "normcdfinv") else unit * 40 - (5 if name == "erfcx" else 0)
        x = np.ascontiguousarray(np.concatenate([x, 1 - 2 * unit]) if name == "erfinv" else x)
        y = np.empty_like(x)
        loaded[f"test_{name}"](*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, y)), len(x))
        np.testing.assert_allclose(y, reference(x), rtol=2e-9, atol=1e-12, err_msg=name)


# ---- AddressSanitizer
@pytest.mark.parametrize(
    ("mode", "line"), [(1, "s[t + 1]"), (2, "d[t + 1]"), (3, "y[t + n - 63]"), (4, "y[t - 1] = v")]
)
def test_asan_names_the_line_of_an_overrun(asan_library: Path, mode: int, line: str) -> None:
    environment = {"LD_PRELOAD": str(HipCpu().preload()), "ASAN_OPTIONS": "detect_leaks=0"}
    clean = call(asan_library, "bounds", 64, 0, **environment)
    assert (clean.code, clean.error) == (0, "")
    called = call(asan_library, "bounds", 64, mode, **environment)
    assert called.code != 0
    assert "AddressSanitizer: use-after-poison" in called.error
    assert place(line) in called.error.split("#1")[0]


def test_asan_knows_fibers(asan_library: Path) -> None:
    environment = {"LD_PRELOAD": str(HipCpu().preload()), "ASAN_OPTIONS": "detect_leaks=0", "AKA_HIP_THREADS": "2"}
    called = call(asan_library, "cooperative", 6, 0, **environment)
    assert (called.code, called.y, called.error) == (0, [1.0] * 6, "")
    assert call(asan_library, "limits", 32, 7, **environment).result == INVALID_VALUE


# ---- builds
def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k(float* y) { }\nvoid f() {\n  k<<<1, 2>>>(unknown);\n}\n"
    build = build_text(text, tmp_path)
    assert not build.ok
    first = build.diagnostics[0]
    assert (first.file, first.line, first.severity) == ("k.hip", 4, "error")
    assert first.column == text.splitlines()[3].index("unknown") + 1
    assert "unknown" in first.message
    assert "unknown" in build.log


def test_errors_in_templates_name_the_author_s_lines(tmp_path: Path) -> None:
    text = """#include <hip/hip_runtime.h>
template <typename T> __global__ void k(T* y) {
  __shared__ T big[20000];
  big[0] = *y;
}
extern "C" void launch(float* y, hipStream_t s) { k<float><<<1, 1, 0, s>>>(y); }
"""
    build = build_text(text, tmp_path)
    assert not build.ok
    assert any("64 KiB" in d.message and d.file == "k.hip" and d.line == 3 for d in build.diagnostics)


def test_wrong_argument_types_are_reported_at_the_launch(tmp_path: Path) -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k(float* y) {}\nvoid f(int* p) {\n  k<<<1, 1>>>(p);\n}\n"
    build = build_text(text, tmp_path)
    assert not build.ok
    assert (build.diagnostics[0].file, build.diagnostics[0].line) == ("k.hip", 4)


def test_a_launcher_is_required(tmp_path: Path) -> None:
    build = build_text("#include <hip/hip_runtime.h>\nvoid launch(float* y) {}\n", tmp_path)
    assert not build.ok
    assert 'extern "C"' in build.diagnostics[0].message


def test_a_slow_compiler_is_stopped(tmp_path: Path) -> None:
    text = "template <int N> struct A { static constexpr long v = A<N - 1>::v + A<N - 2>::v; };\n"
    text += "template <> struct A<0> { static constexpr long v = 0; }; template <> struct A<1> : A<0> {};\n"
    text += "constexpr long loop(long n) { long s = 0; for (long i = 0; i < n; ++i) for (long j = 0; j < 100000; ++j)"
    text += " s += i ^ j; return s; }\nstatic_assert(loop(1000000) != 1);\n"
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir(), out.mkdir()
    (folder / "k.hip").write_text("#include <hip/hip_runtime.h>\n" + text)
    started = time.monotonic()
    build = HipCpu().build(Source(folder, "k.hip"), out, 0.2)
    assert time.monotonic() - started < 20
    assert not build.ok
    assert "0.2 s" in build.diagnostics[0].message


def test_options_and_defines_are_checked(tmp_path: Path) -> None:
    text = '#include <hip/hip_runtime.h>\nextern "C" int launch() { return COUNT + warpSize; }\n'
    build = build_text(text, tmp_path, defines={"COUNT": "(2 + 3)"}, options=frozenset({"wave32", "debug"}))
    assert build.artefact is not None, build.log
    assert ctypes.CDLL(str(build.artefact)).launch() == 37
    source = Source(tmp_path / "in", "k.hip", options=frozenset({"wave16"}))
    with pytest.raises(InputError, match="wave16"):
        HipCpu().build(source, tmp_path, 10)
    with pytest.raises(InputError, match="exclude"):
        HipCpu().build(Source(tmp_path / "in", "k.hip", options=frozenset({"wave32", "wave64"})), tmp_path, 10)
    with pytest.raises(InputError, match="macro"):
        HipCpu().build(Source(tmp_path / "in", "k.hip", defines={"A B": "1"}), tmp_path, 10)
    with pytest.raises(InputError, match="no such file"):
        HipCpu().build(Source(tmp_path / "in", "other.hip"), tmp_path, 10)


def test_an_absent_compiler_is_missing() -> None:
    (missing,) = HipCpu("g++-of-nowhere").missing()
    assert missing.install == "apt install g++"
    assert HipCpu().missing() == []
    assert len(HipCpu().fingerprint()) == 64
    assert "g++" in HipCpu().version() or "clang" in HipCpu().version()


def test_the_portable_context_switch_agrees(tmp_path: Path) -> None:
    build = HipCpu().build(Source(FOLDER, "rules.hip", defines={"HIP_CPU_UCONTEXT": "1"}), tmp_path, 250)
    assert build.artefact is not None, build.log
    assert call(build.artefact, "branch_vote_is_legal", 128).y == [16.0 if t % 4 == 1 else 0.0 for t in range(128)]
    assert call(build.artefact, "cooperative", 6, 0, AKA_HIP_THREADS="2").y == [1.0] * 6
