"""Runs an operator's PyTorch reference as the baseline of torch2hip; copies its results out after the timed span."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentkernelarena.judge.worker.loop import Argument, Device
from agentkernelarena.task.loader import load_declaration
from agentkernelarena.task.reference import name_outputs, reference_axes


class ReferenceRunner:
    """`reference(**inputs)` on the configured dtypes; in-out tensors are the buffers themselves."""

    def __init__(self, path: str, device: Device) -> None:
        operator, mathematics = load_declaration(Path(path).parent)
        self._operator, self._reference = operator, mathematics.reference
        self._arguments = [*operator.inputs, *reference_axes(mathematics.reference, operator)]
        self._arguments += [n for n, t in operator.outputs.items() if t.inout]
        _accumulate_as_declared()
        self._device = device
        self._sets: list[dict[str, Any]] = []
        self._pending: tuple[int, Any] | None = None

    def bind(self, sets: list[list[Argument]]) -> None:
        self._sets = []
        for arguments in sets:
            values: dict[str, Any] = {}
            for a in arguments:
                if a["kind"] == "tensor":
                    values[str(a["name"])] = self._device.tensor(int(a["address"]), a["shape"], str(a["dtype"]))  # type: ignore[arg-type]
                elif a["kind"] == "axis":
                    values[str(a["name"])] = a["value"]
            self._sets.append(values)

    def call(self, index: int, scalars: dict[str, float | int], stream: int) -> None:
        values = self._sets[index]
        arguments = {n: scalars[n] if n in scalars else values[n] for n in self._arguments}
        self._pending = index, self._reference(**arguments)

    def finish(self) -> None:
        if self._pending is None:
            return
        index, results = self._pending
        self._pending = None
        for name, value in name_outputs(self._operator, results).items():
            self._sets[index][name].copy_(value)


def _accumulate_as_declared() -> None:
    """Products of half types are summed in float32, as operators declare: no split-K in half, no TF32."""
    import torch

    matmul = torch.backends.cuda.matmul
    matmul.allow_tf32 = False
    matmul.allow_fp16_reduced_precision_reduction = False
    matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cudnn.allow_tf32 = False


def load(path: str, arguments: list[Argument], device: Device) -> ReferenceRunner:
    """Load the operator file at `path` (a copy of the pristine one)."""
    return ReferenceRunner(path, device)
