"""Loads a shared object and calls its `launch` through ctypes; needs no torch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from agentkernelarena.judge.worker.loop import Argument, Device

_SCALARS: dict[str, type[ctypes._SimpleCData[Any]]] = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
}
# As wide as the judge's guard bands beside every buffer.
_GUARD = 1024
_Values = list[tuple[str, object]]


class HipRunner:
    """`launch(pointers and scalars in order, axes as int64_t, stream)`."""

    def __init__(self, launch: Callable[..., None], poison: Callable[[int, int], None] | None) -> None:
        self._launch, self._poison = launch, poison
        self._sets: list[_Values] = []

    def bind(self, sets: list[list[Argument]]) -> None:
        self._sets = [[_value(argument) for argument in arguments] for arguments in sets]
        if self._poison is not None:
            for argument in (a for arguments in sets for a in arguments if a["kind"] == "tensor"):
                start, size = int(argument["address"]), int(argument["bytes"])  # type: ignore[arg-type]
                self._poison(start - _GUARD, _GUARD)
                self._poison(start + size, _GUARD)

    def call(self, index: int, scalars: dict[str, float | int], stream: int) -> None:
        values = [scalars[name] if value is None else value for name, value in self._sets[index]]
        self._launch(*values, stream)

    def finish(self) -> None:
        pass


def _value(argument: Argument) -> tuple[str, object]:
    if argument["kind"] == "scalar":
        return str(argument["name"]), None
    return str(argument["name"]), argument["address" if argument["kind"] == "tensor" else "value"]


def load(path: str, arguments: list[Argument], device: Device) -> HipRunner:
    """Load the library at `path`; raises OSError or AttributeError (no `launch`)."""
    library = ctypes.CDLL(path)
    launch = library.launch
    launch.restype = None
    kinds: list[type[ctypes._SimpleCData[Any]]] = []
    for argument in arguments:
        match argument["kind"]:
            case "tensor":
                kinds.append(ctypes.c_void_p)
            case "scalar":
                kinds.append(_SCALARS[str(argument["dtype"])])
            case _:
                kinds.append(ctypes.c_int64)
    launch.argtypes = [*kinds, ctypes.c_void_p]
    poison = None
    if hasattr(library, "aka_asan_poison"):  # an instrumented build: it is to report what touches the guard bands
        library.aka_asan_poison.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        library.aka_asan_poison.restype = None
        poison = library.aka_asan_poison
    return HipRunner(launch, poison)
