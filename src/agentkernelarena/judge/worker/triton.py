"""Loads a Triton file and calls its `launch` with torch tensors over the judge's buffers."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

from agentkernelarena.judge.worker import interpreter
from agentkernelarena.judge.worker.loop import Argument, Device


class TritonRunner:
    """`launch(inputs, outputs, axes)`, all positional."""

    def __init__(self, launch: Callable[..., object], device: Device) -> None:
        self._launch = launch
        self._device = device
        self._sets: list[list[tuple[str, object]]] = []

    def bind(self, sets: list[list[Argument]]) -> None:
        self._sets = [[self._value(argument) for argument in arguments] for arguments in sets]

    def _value(self, argument: Argument) -> tuple[str, object]:
        name = str(argument["name"])
        if argument["kind"] == "scalar":
            return name, None
        if argument["kind"] == "axis":
            return name, argument["value"]
        shape, dtype = argument["shape"], argument["dtype"]
        return name, self._device.tensor(int(argument["address"]), shape, str(dtype))  # type: ignore[arg-type]

    def call(self, index: int, scalars: dict[str, float | int], stream: int) -> None:
        self._launch(*(scalars[name] if value is None else value for name, value in self._sets[index]))

    def finish(self) -> None:
        pass


def load(path: str, arguments: list[Argument], device: Device) -> TritonRunner:
    """Import the file at `path`, with its folder importable; raises what it raises, AttributeError for no `launch`."""
    if os.environ.get("TRITON_INTERPRET") == "1":
        interpreter.prepare()
    folder = str(Path(path).parent)
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("submission_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission_kernel"] = module
    spec.loader.exec_module(module)
    return TritonRunner(module.launch, device)
