"""Do HIP kernels built for the GPU in this machine compute what NumPy says?

Builds every kernel of tests/target/conformance with the toolchain for the present GPU (HIP on CUDA for NVIDIA, ROCm for
AMD), runs each once on torch's tensors through ctypes, compares with tests/target/conformance/expected.py, and prints a
table. Exit status 1 when a kernel does not build, crashes or is wrong.

    python benchmarks/conformance_gpu.py [--jobs 8] [--json result.json] [NAME ...]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "target" / "conformance"
sys.path[:0] = [str(ROOT / "src"), str(FOLDER.parent)]

BUILD_TIMEOUT_S = 300.0
RUN_TIMEOUT_S = 300.0


@dataclass
class Row:
    """One kernel: `status` is passed, wrong, crashed or not built."""

    name: str
    status: str
    build_s: float
    detail: str = ""


def device() -> tuple[str, str, int]:
    """Architecture, name and wavefront of the first GPU."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    if torch.version.hip:
        return properties.gcnArchName, properties.name, properties.warp_size
    return f"sm_{properties.major}{properties.minor}", properties.name, 32


def build_all(names: list[str], arch: str, out: Path, jobs: int) -> dict[str, Row]:
    """Build into `out`/NAME/kernel.so; a row for each name, `crashed` until its run has said otherwise."""
    from agentkernelarena.toolchain import Source
    from agentkernelarena.toolchain.hip_amd import HipAmd
    from agentkernelarena.toolchain.hip_cuda import HipCuda

    toolchain = HipAmd(arch) if arch.startswith("gfx") else HipCuda(arch)
    for lack in toolchain.missing():
        raise SystemExit(f"{lack.what} is missing; install it with: {lack.install}")
    print(f"{toolchain.version()}, {len(names)} kernels", flush=True)

    def build(name: str) -> Row:
        place = out / name
        place.mkdir()
        start = time.monotonic()
        built = toolchain.build(Source(FOLDER, f"{name}.hip"), place, BUILD_TIMEOUT_S)
        seconds = time.monotonic() - start
        if built.ok:
            return Row(name, "crashed", seconds, "gave no result")
        return Row(name, "not built", seconds, "; ".join(str(d) for d in built.diagnostics[:3]))

    with ThreadPoolExecutor(jobs) as pool:
        return {row.name: row for row in pool.map(build, names)}


def run_all(rows: dict[str, Row], out: Path, wave: int) -> None:
    """Run the built kernels in a child process, and the rest in a fresh one after each that took its context down."""
    left = [row.name for row in rows.values() if row.status != "not built"]
    while left:
        done = 0
        argv = [sys.executable, __file__, "--child", str(out), "--wave", str(wave), *left]
        try:
            ended = subprocess.run(argv, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
            said, errors = ended.stdout, ended.stderr
        except subprocess.TimeoutExpired as late:
            said = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
            errors = f"no result within {RUN_TIMEOUT_S:g} s"
        for line in said.splitlines():
            if line.startswith("ROW "):
                told = json.loads(line.removeprefix("ROW "))
                rows[told["name"]].status, rows[told["name"]].detail = told["status"], told["detail"]
                done += 1
        if done < len(left) and rows[left[done]].detail == "gave no result":
            rows[left[done]].detail = (errors.strip().splitlines() or ["gave no result"])[-1][:300]
            done += 1
        left = left[done:]


def child(names: list[str], out: Path, wave: int) -> None:
    """Run the kernels in order, one line of JSON each; a device error ends the process, as it does the context."""
    import torch
    from conformance.expected import POISON_Y, POISON_Z, N, differences, inputs

    x, k = (torch.from_numpy(array).cuda() for array in inputs())
    for name in names:
        y = torch.full((N,), float(POISON_Y), dtype=torch.float32, device="cuda")
        z = torch.full((N,), int(POISON_Z), dtype=torch.int32, device="cuda")
        kept_x, kept_k = x.clone(), k.clone()
        launch = ctypes.CDLL(str(out / name / "kernel.so")).launch
        launch.restype = None
        stream = torch.cuda.current_stream().cuda_stream
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, k, y, z)]
        launch(*pointers, ctypes.c_int64(N), ctypes.c_void_p(stream))
        torch.cuda.synchronize()
        found = differences(name, y.cpu().numpy().tobytes(), z.cpu().numpy().tobytes(), wave)
        if not (torch.equal(x, kept_x) and torch.equal(k, kept_k)):
            found.append("the kernel changed its inputs")
            x, k = kept_x, kept_k
        row = {"name": name, "status": "wrong" if found else "passed", "detail": "; ".join(found[:3])}
        print("ROW " + json.dumps(row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="kernels; all when none is given")
    parser.add_argument("--jobs", type=int, default=2, help="builds side by side")
    parser.add_argument("--json", type=Path, help="file for the rows")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--wave", type=int, default=32, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.names, options.child, options.wave)
        return
    from conformance.expected import names

    arch, name, wave = device()
    with tempfile.TemporaryDirectory(prefix="aka-conformance-") as folder:
        rows = build_all(options.names or names(), arch, Path(folder), options.jobs)
        run_all(rows, Path(folder), wave)
    for row in rows.values():
        print(f"{row.name:28} {row.status:10} {row.build_s:6.1f} s  {row.detail}")
    count = {s: sum(row.status == s for row in rows.values()) for s in ("passed", "wrong", "crashed", "not built")}
    print(f"{name} ({arch}): " + ", ".join(f"{n} {status}" for status, n in count.items()))
    if options.json:
        record = {"device": name, "arch": arch, "count": count, "rows": [asdict(row) for row in rows.values()]}
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    sys.exit(0 if count["passed"] == len(rows) else 1)


if __name__ == "__main__":
    main()
