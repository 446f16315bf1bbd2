"""AddressSanitizer builds as an option of the correctness gate."""

from __future__ import annotations

import pytest

from agentkernelarena import target as targets
from agentkernelarena.result import Status
from agentkernelarena.run.evaluate import evaluate

READS_PAST_THE_END = """
#include "operator.h"
__global__ void k(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, n = rows * cols;
  if (i > n) return;
  const int64_t r = i / cols, c = i % cols;
  const float g = to_float(x[r * 2 * cols + c]);  // one row past the last when i == n
  const float v = g / (1.f + expf(-g)) * to_float(x[r * 2 * cols + cols + c]);
  if (i < n || v == 12345.f) y[i < n ? i : 0] = from_float<scalar_t>(v);
}
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t s) {
  k<<<(rows * cols) / 256 + 1, 256, 0, s>>>(x, y, rows, cols);
}
""".lstrip("\n")


@pytest.fixture
def sanitizer():
    found = targets.load("cpu").sanitizer("hip")
    if found is None:
        pytest.skip("this compiler has no AddressSanitizer")
    return found


def test_a_read_past_the_end_is_named_by_file_and_line(sanitizer, tmp_path):
    kernel = tmp_path / "kernel.hip"
    kernel.write_text(READS_PAST_THE_END)
    plain = evaluate("hip2hip/swiglu", kernel, target="cpu", smoke_only=True, time=False, seed=1)
    assert plain.outcome.passed, "without instrumentation this read does no harm, so the next line shows what it adds"
    judged = evaluate("hip2hip/swiglu", kernel, target="cpu", smoke_only=True, time=False, seed=1, sanitize=True)
    assert judged.outcome.status is Status.INCORRECT
    assert "AddressSanitizer" in judged.outcome.reason
    assert "kernel.hip:6" in judged.outcome.reason


@pytest.mark.parametrize("operator", ["swiglu", "softmax", "histogram", "inclusive_scan"])
def test_a_clean_kernel_passes_instrumented(sanitizer, operator):
    judged = evaluate(
        f"hip2hip/{operator}", "baseline", target="cpu", smoke_only=True, time=False, seed=1, sanitize=True
    )
    assert judged.outcome.passed, judged.outcome.reason
