"""Measured peaks of a device: copy bandwidth and matrix rates per dtype, cached per device and driver.

Measured, not taken from a data sheet, because the physical floor of a call has to hold on this very device.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from agentkernelarena.document import read_document, write_atomic
from agentkernelarena.errors import InputError
from agentkernelarena.result import Record

# Memory-side caches that the L2 property does not tell, in bytes (AMD's Infinity Cache, from AMD's CDNA 3 and CDNA 4
# white papers).
MEMORY_SIDE_CACHE = {"gfx942": 256 << 20, "gfx950": 256 << 20}

# A time below this share of bytes / measured bandwidth cannot be: reading alone is faster than the copy that the
# bandwidth was measured with, and clocks have granularity.
FLOOR_SHARE = 0.75

_COPY_BYTES = 1 << 30
_MATRIX = 8192


class Peaks(Record):
    """Copy bandwidth in GB/s (bytes read plus written), matrix rates in TFLOP/s (TOP/s for int8) by dtype name."""

    schema_version: int = 1
    device: str
    copy_gb_per_s: float
    rates_tflops: dict[str, float]


def driver(vendor: str) -> str:
    """Driver version, "" where it cannot be told."""
    path = Path("/proc/driver/nvidia/version") if vendor == "cuda" else Path("/sys/module/amdgpu/version")
    if vendor == "cuda":
        try:
            import pynvml

            pynvml.nvmlInit()
            return str(pynvml.nvmlSystemGetDriverVersion())
        except Exception:
            pass
    try:
        return path.read_text().split("  ")[1].strip() if vendor == "cuda" else path.read_text().strip()
    except (OSError, IndexError):
        return ""


def peaks(vendor: str) -> Peaks:
    """Peaks of the current device, measured on first use (about two seconds) and cached."""
    import torch

    name = torch.cuda.get_device_name(0)
    label = f"{name} driver {driver(vendor)} torch {torch.__version__}"
    base = os.environ.get("AKA_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "agentkernelarena"
    )
    path = Path(base) / "peaks" / ("".join(c if c.isalnum() else "-" for c in label) + ".json")
    if path.exists():
        try:
            return read_document(path, Peaks)
        except InputError:
            path.unlink()
    found = Peaks(device=label, copy_gb_per_s=_copy(), rates_tflops=_rates())
    write_atomic(path, json.dumps(found.model_dump(), indent=1))
    return found


def _best_us(call: Callable[[], object], repeats: int = 12) -> float:
    import torch

    start = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    end = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    best = float("inf")
    for _ in range(repeats):
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) * 1e3)
    return best


def _copy() -> float:
    import torch

    a = torch.empty(_COPY_BYTES // 4, dtype=torch.float32, device="cuda").normal_()
    b = torch.empty_like(a)
    return 2 * _COPY_BYTES / _best_us(lambda: b.copy_(a)) / 1e3


def _rates() -> dict[str, float]:
    import torch

    n = _MATRIX
    rates = {}
    operations = 2 * n**3

    def product(dtype: torch.dtype) -> float:
        a = torch.empty(n, n, dtype=dtype, device="cuda").normal_()
        b = torch.empty(n, n, dtype=dtype, device="cuda").normal_()
        return operations / _best_us(lambda: torch.mm(a, b)) / 1e6

    before = torch.backends.cuda.matmul.allow_tf32
    try:
        torch.backends.cuda.matmul.allow_tf32 = False
        rates["float32"] = product(torch.float32)
        torch.backends.cuda.matmul.allow_tf32 = True
        rates["tf32"] = product(torch.float32)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    rates["float16"] = product(torch.float16)
    rates["bfloat16"] = product(torch.bfloat16)
    a = torch.randint(-100, 100, (n, n), dtype=torch.int8, device="cuda")
    with contextlib.suppress(RuntimeError):
        rates["int8"] = operations / _best_us(lambda: torch._int_mm(a, a.t())) / 1e6
    try:
        f = torch.empty(n, n, device="cuda").normal_().to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        rates["float8_e4m3"] = (
            operations
            / _best_us(lambda: torch._scaled_mm(f, f.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16))
            / 1e6
        )
    except (RuntimeError, AttributeError, ValueError):
        pass
    return rates
