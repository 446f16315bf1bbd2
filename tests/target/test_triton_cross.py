"""Triton sources compiled for GPUs that are not there, as their launchers launch them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentkernelarena.errors import InputError
from agentkernelarena.toolchain import Build, Source
from agentkernelarena.toolchain.triton_gpu import ARGUMENTS, TritonGpu

KERNELS = Path(__file__).parent / "kernels" / "triton"
TARGETS = [("hip", "gfx942"), ("cuda", "sm_90")]
MORE = [("hip", "gfx90a"), ("hip", "gfx950"), ("hip", "gfx1100"), ("cuda", "sm_100")]
CALL = [
    {"kind": "tensor", "shape": [64, 256], "dtype": "float16"},
    {"kind": "tensor", "shape": [256, 64], "dtype": "float16"},
    {"kind": "tensor", "shape": [64, 64], "dtype": "float16"},
    {"kind": "scalar", "value": 64},
]

pytestmark = pytest.mark.skipif(
    bool(TritonGpu("cuda", "sm_90").missing()),
    reason="; ".join(f"{m.what} is missing: {m.install}" for m in TritonGpu("cuda", "sm_90").missing()) or "complete",
)


def build(backend: str, arch: str, source: str | Path, tmp_path: Path, call: list[object] = CALL) -> Build:
    include = tmp_path / "include"
    include.mkdir()
    (include / "arguments.json").write_text(json.dumps(call))
    out = tmp_path / "out"
    out.mkdir()
    if isinstance(source, Path):
        folder, main = source.parent, source.name
    else:
        folder, main = tmp_path / "source", "kernel.py"
        folder.mkdir()
        (folder / main).write_text("import torch\nimport triton\nimport triton.language as tl\n" + source)
    where = Source(folder, main, (include,), {ARGUMENTS: "arguments.json"})
    return TritonGpu(backend, arch).build(where, out, 280)


def errors(built: Build) -> list[str]:
    return [str(d) for d in built.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("backend", "arch"), [*TARGETS, *(pytest.param(*target, marks=pytest.mark.slow) for target in MORE)]
)
def test_every_launched_specialisation_becomes_device_code(
    backend: str, arch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the caller's environment says about Triton must not reach the compiler.
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    built = build(backend, arch, KERNELS / "launches.py", tmp_path)
    assert built.ok, built.log
    assert built.artefact == tmp_path / "out" / "source" / "launches.py"
    assert built.artefact.read_text() == (KERNELS / "launches.py").read_text()
    # matmul once; scale for aligned and for shifted rows, which specialise differently; choose by autotuning.
    assert [r.kernel for r in built.resources] == ["matmul", "scale", "scale", "choose"]
    assert all(r.registers > 0 and r.spills == 0 for r in built.resources)
    assert built.resources[0].shared_bytes > 0
    suffix = "hsaco" if backend == "hip" else "cubin"
    codes = sorted((tmp_path / "out" / "device").glob(f"*.{suffix}"))
    assert len(codes) == 4
    assert all(code.read_bytes()[:4] == b"\x7fELF" for code in codes)
    machine = 224 if backend == "hip" else 190
    assert all(int.from_bytes(code.read_bytes()[0x12:0x14], "little") == machine for code in codes)


def test_an_error_in_a_called_function_names_its_file_and_line(tmp_path: Path) -> None:
    source = """
@triton.jit
def inner(v):
    return v + undefined_name


@triton.jit
def outer(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), inner(tl.load(x + tl.arange(0, B))))


def launch(a, b, c, n):
    outer[(1,)](a, B=64)
"""
    built = build("cuda", "sm_90", source, tmp_path)
    assert built.artefact is None
    assert errors(built) == ["kernel.py:7:16: error: CompilationError: NameError('undefined_name is not defined')"]


SHARED = """
@triton.jit
def matmul(a, b, c, B: tl.constexpr, K: tl.constexpr):
    i, k, j = tl.arange(0, B)[:, None], tl.arange(0, K), tl.arange(0, B)[None, :]
    left = tl.load(a + i * K + k[None, :])
    right = tl.load(b + k[:, None] * B + j)
    tl.store(c + i * B + j, tl.dot(left, right).to(tl.float16))


def launch(a, b, c, n):
    matmul[(1,)](a, b, c, B=64, K=1024)
"""


def test_more_shared_memory_than_the_hardware_has_is_an_error(tmp_path: Path) -> None:
    built = build("hip", "gfx942", SHARED, tmp_path)
    assert built.artefact is None
    assert any("shared memory" in e or "local memory" in e for e in errors(built)), errors(built)
    assert errors(built)[0].startswith("kernel.py:14: ")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "def launch(a, b, c, n):\n    c.copy_(a[:, :64])\n",
            "kernel.py: error: RuntimeError: launch(...) launched no",
        ),
        ("def run(a, b, c, n):\n    pass\n", "kernel.py: error: TypeError: the file defines no function launch"),
        ("def launch(a, b, c, n)\n    pass\n", "kernel.py:4:23: error: SyntaxError: expected ':'"),
        ("def launch(a, b, c):\n    pass\n", "kernel.py: error: TypeError: launch() takes 3 positional arguments"),
    ],
)
def test_what_is_no_launcher_is_an_error(source: str, expected: str, tmp_path: Path) -> None:
    built = build("cuda", "sm_90", source, tmp_path)
    assert built.artefact is None
    assert errors(built)[0].startswith(expected)


def test_a_launcher_that_never_ends_is_ended(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernel.py").write_text("while True:\n    pass\n")
    (folder / "arguments.json").write_text("[]")
    source = Source(folder, "kernel.py", defines={ARGUMENTS: "arguments.json"})
    out = tmp_path / "out"
    out.mkdir()
    built = TritonGpu("cuda", "sm_90").build(source, out, 3)
    assert built.artefact is None
    assert errors(built) == ["kernel.py: error: launch and its kernels were not compiled within 3 s"]


def test_the_call_must_be_described(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not given"):
        TritonGpu("cuda", "sm_90").build(Source(KERNELS, "launches.py"), tmp_path, 10)
    source = Source(KERNELS, "launches.py", defines={ARGUMENTS: "nowhere.json"})
    with pytest.raises(InputError, match=r"there is no file 'nowhere\.json'"):
        TritonGpu("cuda", "sm_90").build(source, tmp_path, 10)
