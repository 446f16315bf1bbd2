"""Run a Triton source's `launch` without a device and compile every kernel as it was launched.

A script for a process of its own (``python -I triton_record.py request.json``), which imports nothing of this package:
what it does to torch and triton must not be seen by anything else, and what it runs is a candidate's own code.
The tensors have a shape, a dtype, strides and an address, and no memory: they are on torch's meta device. Triton's
driver is replaced by one that only names the target. A launch therefore goes through specialisation, heuristics and
autotuning as it would on the device, and ends in Triton's compiler for the target instead of a queue.

request: ``source`` file, ``arguments`` file, ``backend`` (cuda or hip), ``arch`` (90 or gfx942), ``wave`` (threads),
``shared_limit`` (bytes), ``multiprocessors``, ``out`` folder. Writes ``<out>/record.json``:
``{"kernels": [{"name", "registers", "scalar_registers", "spills", "shared", "occupancy", "file"}],
"errors": [{"file", "line", "column", "message"}]}``.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import json
import os
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TypedDict

_DTYPES = {"float8_e4m3": "float8_e4m3fn"}
_MAXIMAL_THREADS = 1024


class Request(TypedDict):
    """See the module's docstring."""

    source: str
    arguments: str
    backend: str
    arch: str | int
    wave: int
    shared_limit: int
    multiprocessors: int
    out: str


class Recorder:
    """What was compiled and what went wrong, in the order of the launches."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.kernels: list[tuple[dict[str, str | int | None], bytes]] = []
        self.errors: list[dict[str, str | int]] = []
        self.trial = False
        """True while an autotuner tries a configuration: what does not fit is then passed over, not reported."""

    def driver(self) -> SimpleNamespace:
        """Stands where Triton's GPU driver would: names the target, has a device 0 and no way to launch."""
        import torch
        from triton.backends.compiler import GPUTarget

        facts = {
            "max_shared_mem": self.request["shared_limit"],
            "multiprocessor_count": self.request["multiprocessors"],
            "max_num_regs": 65536,
            "warpSize": self.request["wave"],
            "sm_clock_rate": 1_500_000,
            "mem_clock_rate": 1_500_000,
            "mem_bus_width": 4096,
        }
        target = GPUTarget(self.request["backend"], self.request["arch"], self.request["wave"])
        return SimpleNamespace(
            get_current_target=lambda: target,
            get_current_device=lambda: 0,
            set_current_device=lambda device: None,
            get_current_stream=lambda device: 0,
            get_active_torch_device=lambda: torch.device("cuda", 0),
            get_device_interface=lambda: torch.cuda,
            get_benchmarker=lambda: lambda call, **_: call() or [0.0, 0.0, 0.0],
            get_empty_cache_for_benchmark=lambda: None,
            clear_cache=lambda cache: None,
            map_python_to_cpp_type=str,
            utils=SimpleNamespace(get_device_properties=lambda device: dict(facts)),
        )

    def install(self) -> None:
        """Replace launching by compiling, and an autotuner's choice by its first configuration that compiles."""
        from triton.runtime import driver
        from triton.runtime.autotuner import Autotuner
        from triton.runtime.jit import JITFunction

        driver.set_active(self.driver())
        compile_only = JITFunction.run

        def run(function: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    kernel = compile_only(function, *args, grid=grid, warmup=True, **options)
                self.check(kernel, function, args, grid, options)
            except Exception as problem:
                if not self.trial:
                    self.fail(problem)
                raise
            finally:
                sys.stdout.write(printed.getvalue())
            self.keep(kernel, printed.getvalue())
            return kernel

        def bench(tuner: Any, *args: Any, config: Any, **options: Any) -> list[float]:
            if tuner.__dict__.get("_aka_chosen", (None,))[0] is tuner.nargs:
                return [float("inf")] * 3
            self.trial = True
            try:
                tuner.fn.run(*args, **dict(options, **config.all_kwargs()))
            except Exception as problem:
                print(f"autotuning passes over {config}: {type(problem).__name__}: {problem}")
                return [float("inf")] * 3
            finally:
                self.trial = False
            tuner.__dict__["_aka_chosen"] = (tuner.nargs,)
            return [0.0] * 3

        JITFunction.run = run
        Autotuner._bench = bench

    def check(self, kernel: Any, function: Any, args: tuple[Any, ...], grid: Any, options: dict[str, Any]) -> None:
        """What a real launch would refuse: an impossible grid, too many threads, more shared memory than there is."""
        if callable(grid):
            defaults = {p.name: p.default for p in function.params if p.has_default}
            grid = grid({**defaults, **dict(zip(function.arg_names, args, strict=False)), **options})
        sizes = [int(n) for n in grid]
        if not 1 <= len(sizes) <= 3 or any(n < 0 for n in sizes):
            raise ValueError(f"{function.__name__}: the grid {tuple(sizes)} is not one to three sizes of at least 0")
        threads = kernel.metadata.num_warps * self.request["wave"]
        if threads > _MAXIMAL_THREADS:
            raise ValueError(f"{function.__name__}: {threads} threads, at most {_MAXIMAL_THREADS} are possible")
        shared, limit = kernel.metadata.shared, self.request["shared_limit"]
        if shared > limit:
            raise ValueError(f"{function.__name__}: needs {shared} bytes of shared memory, the hardware has {limit}")

    def keep(self, kernel: Any, printed: str) -> None:
        """Write the device code and note its resources; a kernel launched twice alike is kept once."""
        kind = "hsaco" if "hsaco" in kernel.asm else "cubin"
        code = kernel.asm[kind]
        if any(code == known for _, known in self.kernels):
            return
        name = str(kernel.metadata.name)
        facts: dict[str, str | int | None] = {"name": name, "shared": kernel.metadata.shared}
        if kind == "hsaco":
            facts.update(_amd_facts(kernel.asm["amdgcn"]))
        else:
            facts.update(_ptxas_facts(printed))
        file = f"{len(self.kernels)}-{re.sub(r'[^A-Za-z0-9_]', '_', name)[:80]}.{kind}"
        facts["file"] = file
        Path(self.request["out"], file).write_bytes(code)
        self.kernels.append((facts, code))

    def fail(self, problem: BaseException) -> None:
        if getattr(problem, "_aka_seen", False):
            return
        with contextlib.suppress(AttributeError):
            problem._aka_seen = True  # type: ignore[attr-defined]
        traceback.print_exception(problem)
        file, line, column = _place(problem, Path(self.request["source"]).parent)
        message = _message(problem)
        self.errors.append({"file": file, "line": line, "column": column, "message": message})


def _amd_facts(assembly: str) -> dict[str, int | None]:
    """Registers, spills and occupancy out of the metadata and comments of AMD assembly."""

    def number(*patterns: str) -> int | None:
        found = [re.search(pattern, assembly) for pattern in patterns]
        return sum(int(m[1]) for m in found if m) if any(found) else None

    return {
        "registers": number(r"\.vgpr_count:\s+(\d+)"),
        "scalar_registers": number(r"\.sgpr_count:\s+(\d+)"),
        "spills": number(r"\.vgpr_spill_count:\s+(\d+)", r"\.sgpr_spill_count:\s+(\d+)"),
        "occupancy": number(r"; Occupancy: (\d+)"),
    }


def _ptxas_facts(printed: str) -> dict[str, int | None]:
    """Registers and spilled registers (bytes / 4) out of the log of ptxas."""
    used = re.search(r"Used (\d+) registers", printed)
    spilled = re.search(r"(\d+) bytes spill stores", printed)
    return {"registers": int(used[1]) if used else None, "spills": int(spilled[1]) // 4 if spilled else None}


def _place(problem: BaseException, folder: Path) -> tuple[str, int, int]:
    """File, line and column of a problem in the candidate's folder: the innermost that can be told."""
    causes: list[BaseException] = []
    step: BaseException | None = problem
    while step is not None and step not in causes:
        causes.append(step)
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)
    for cause in reversed(causes):
        source: Any = getattr(cause, "src", None)
        node: Any = getattr(cause, "node", None)
        if isinstance(cause, SyntaxError) and cause.filename:
            return _relative(cause.filename, folder), cause.lineno or 0, cause.offset or 0
        if not isinstance(source, str) or not hasattr(node, "lineno"):
            continue
        for function in (f for f in gc.get_objects() if type(f).__name__ == "JITFunction" and f.src == source):
            lines = "".join(function.raw_src).split("\n")
            above = next((i for i, text in enumerate(lines) if re.match(r"\s*def\s+\w+\s*\(", text)), 0)
            line = function.starting_line_number + above + node.lineno - 1
            indent = len(lines[above]) - len(lines[above].lstrip())
            return _relative(function.fn.__code__.co_filename, folder), line, node.col_offset + 1 + indent
    # A problem of a launch is caught below it, before the traceback has the launcher's own line: the stack has it.
    steps = [*traceback.extract_stack(), *traceback.extract_tb(problem.__traceback__)]
    frames = [f for f in steps if Path(f.filename).is_relative_to(folder)]
    return (_relative(frames[-1].filename, folder), frames[-1].lineno or 0, 0) if frames else ("", 0, 0)


def _relative(file: str, folder: Path) -> str:
    return str(Path(file).relative_to(folder)) if Path(file).is_relative_to(folder) else str(file)


def _message(problem: BaseException) -> str:
    cause = problem
    while cause.__cause__ is not None:
        cause = cause.__cause__
    text = getattr(cause, "error_message", None) or str(cause) or str(problem)
    return f"{type(cause).__name__}: {text}"[:2000]


def _stand_in_device(request: Request) -> None:
    """Answers to what a launcher may ask torch about the device: there is one, idle, with the target's size."""
    import torch

    capability = int(request["arch"]) if request["backend"] == "cuda" else 90
    properties = SimpleNamespace(
        name=str(request["arch"]),
        gcnArchName=str(request["arch"]),
        multi_processor_count=request["multiprocessors"],
        warp_size=request["wave"],
        shared_memory_per_block=min(request["shared_limit"], 48 << 10),
        shared_memory_per_block_optin=request["shared_limit"],
        max_threads_per_multi_processor=2048,
        L2_cache_size=4 << 20,
        total_memory=64 << 30,
        major=capability // 10,
        minor=capability % 10,
    )
    cuda: Any = torch.cuda
    cuda.get_device_properties = lambda device=None: properties
    cuda.get_device_capability = lambda device=None: (properties.major, properties.minor)
    cuda.get_device_name = lambda device=None: properties.name
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.synchronize = lambda device=None: None
    cuda.current_stream = lambda device=None: SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    cuda.device = lambda device: contextlib.nullcontext()
    cuda.set_device = lambda device: None
    if request["backend"] == "hip":
        version: Any = torch.version
        version.hip = version.hip or "7.1"


def _ghost() -> Any:
    """The type of the tensors: on torch's ``meta`` device, and saying that they are on the GPU, as do their views."""
    import torch

    device = torch.device("cuda", 0)

    class Ghost(torch.Tensor):
        device = property(lambda self: device)
        is_cuda = property(lambda self: True)
        is_meta = property(lambda self: False)

        def data_ptr(self) -> int:
            # An address that says what specialisation asks of it: how the first element is aligned.
            return int(self.storage_offset()) * self.element_size()

        def get_device(self) -> int:
            return 0

        # A launcher that looks at a value gets zero: which kernels it then launches is the best that can be told.
        def item(self) -> Any:
            return 0.0 if self.dtype.is_floating_point else 0

        def tolist(self) -> Any:
            return _zeros(list(self.shape))

        def __bool__(self) -> bool:
            return False

        def __int__(self) -> int:
            return 0

        def __index__(self) -> int:
            return 0

        def __float__(self) -> float:
            return 0.0

    return Ghost


def _nowhere(ghost_type: Any) -> Any:
    """The context in which torch's operations take and give ghosts, and what they allocate has no memory either."""
    import torch
    from torch.overrides import TorchFunctionMode

    def plain(value: Any) -> Any:
        """What torch gets: tensors on the meta device, and that device where a launcher names another."""
        if isinstance(value, ghost_type):
            return value.as_subclass(torch.Tensor)
        if isinstance(value, torch.device) or (isinstance(value, str) and value.split(":")[0] in ("cuda", "cpu")):
            return torch.device("meta")
        if type(value) in (list, tuple):
            return type(value)(plain(v) for v in value)
        return value

    def ghost(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, ghost_type) and value.is_meta:
            return value.as_subclass(ghost_type)
        if type(value) in (list, tuple):
            return type(value)(ghost(v) for v in value)
        return value

    class Nowhere(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function in (torch.Tensor.cuda, torch.Tensor.cpu):
                return args[0]
            with torch._C.DisableTorchFunctionSubclass():
                named = {key: plain(value) for key, value in (kwargs or {}).items() if key != "pin_memory"}
                return ghost(function(*(plain(a) for a in args), **named))

    return Nowhere()


def _arguments(file: str, ghost_type: Any) -> list[Any]:
    import torch

    made = []
    for argument in json.loads(Path(file).read_text()):
        if argument["kind"] == "scalar":
            made.append(argument["value"])
            continue
        dtype = getattr(torch, _DTYPES.get(argument["dtype"], argument["dtype"]))
        stride = argument.get("stride")
        if stride is None:
            tensor = torch.empty(argument["shape"], dtype=dtype, device="meta")
        else:
            tensor = torch.empty_strided(argument["shape"], stride, dtype=dtype, device="meta")
        made.append(tensor.as_subclass(ghost_type))
    return made


def _zeros(shape: list[int]) -> Any:
    return [_zeros(shape[1:]) for _ in range(shape[0])] if shape else 0


def _load(source: Path) -> ModuleType:
    sys.path.insert(0, str(source.parent))
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[source.stem] = module
    spec.loader.exec_module(module)
    return module


def main(request_file: str) -> None:
    request: Request = json.loads(Path(request_file).read_text())
    if request["backend"] == "cuda":
        request["arch"] = int(request["arch"])
    recorder = Recorder(request)
    _stand_in_device(request)
    ghost_type = _ghost()
    mode, arguments = _nowhere(ghost_type), _arguments(request["arguments"], ghost_type)
    recorder.install()
    try:
        module = _load(Path(request["source"]))
        launch = getattr(module, "launch", None)
        if not callable(launch):
            raise TypeError("the file defines no function launch(...)")
        with mode:
            launch(*arguments)
        if not recorder.kernels and not recorder.errors:
            raise RuntimeError("launch(...) launched no Triton kernel")
    except (Exception, SystemExit) as problem:
        recorder.fail(problem)
    kernels = [facts for facts, _ in recorder.kernels]
    record = {"kernels": kernels, "errors": recorder.errors}
    Path(request["out"], "record.json").write_text(json.dumps(record))
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of the candidate's must not keep the process alive.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
