"""Every conformance kernel computes what NumPy says, on the CPU with wavefronts of 32 and 64.

A dozen kernels share a library, each in a namespace and with a launcher of its own, as compiling takes the time here.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conformance.expected import POISON_Y, POISON_Z, N, differences, inputs, names

from agentkernelarena.toolchain import Source
from agentkernelarena.toolchain.hip_cpu import HipCpu

FOLDER = Path(__file__).parent / "conformance"
HEADERS = ("cassert", "hip/hip_runtime.h", "hip/hip_fp8.h", "hip/hip_bfloat16.h", "hip/hip_cooperative_groups.h")
BATCH = 12

pytestmark = pytest.mark.skipif(bool(HipCpu().missing()), reason="needs g++ or clang++")
Libraries = Callable[[int, int], Path]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """Give the library of a batch of kernels for a wavefront; built when first asked for."""

    @functools.cache
    def build(batch: int, wave: int) -> Path:
        folder, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("out")
        lines = [f"#include <{header}>" for header in HEADERS]
        for name in names()[batch * BATCH : (batch + 1) * BATCH]:
            shutil.copy(FOLDER / f"{name}.hip", folder)
            lines += [f"#define launch launch_{name}", f"namespace in_{name} {{", f'#include "{name}.hip"']
            lines += ["}", "#undef launch"]
        (folder / "batch.hip").write_text("\n".join(lines) + '\nextern "C" void launch() {}\n')
        result = HipCpu().build(Source(folder, "batch.hip", options=frozenset({f"wave{wave}"})), out, 280)
        assert result.artefact is not None, result.log
        return result.artefact

    return build


def test_every_kernel_has_an_expectation_and_the_reverse() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.hip")) == names()
    assert len(names()) >= 60


@pytest.mark.parametrize("wave", [64, 32])
@pytest.mark.parametrize("name", names())
def test_kernel_computes_what_numpy_says(name: str, wave: int, libraries: Libraries, tmp_path: Path) -> None:
    library = libraries(names().index(name) // BATCH, wave)
    x, k = inputs()
    arrays = {"x": x, "k": k, "y": np.full(N, POISON_Y), "z": np.full(N, POISON_Z)}
    for label, array in arrays.items():
        (tmp_path / label).write_bytes(array.tobytes())
    command = [sys.executable, str(FOLDER / "call.py"), str(library), f"launch_{name}", str(tmp_path), str(N)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert differences(name, (tmp_path / "y").read_bytes(), (tmp_path / "z").read_bytes(), wave) == []
