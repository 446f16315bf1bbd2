"""Triton's interpreter, corrected and quickened for the cpu target.

Four things are changed in `triton.runtime.interpreter` (seen in Triton 3.6 and 3.9):

- `tl.dot` of bfloat16 operands multiplies their bit patterns, because NumPy has no bfloat16; here they are widened to
  float32 first, which is exact.
- float32 becomes bfloat16 by truncation; here it is rounded to nearest even, as the hardware does.
- Every call of a nested jit function (`tl.sum` is one) replaces all of `triton.language`'s functions again, which is a
  third of the interpreter's time; here that is done once per launch.
- Autotuning asks for a driver, of which there is none; interpreted times would say nothing about a GPU either, so the
  first configuration is taken, as the compile gate does.
"""

from __future__ import annotations

import inspect
from typing import Any


def prepare() -> None:
    """Apply the changes; harmless when repeated."""
    import triton.language as tl
    from triton.runtime import interpreter

    if getattr(interpreter, "_aka_prepared", False):
        return
    interpreter._aka_prepared = True
    _widen_dot(interpreter)
    _round_to_bfloat16(interpreter)
    _patch_once(interpreter, tl)
    _take_first()


def _widen_dot(interpreter: Any) -> None:
    import numpy as np
    import triton.language as tl

    builder = interpreter.InterpreterBuilder
    create_dot = builder.create_dot

    def widened(handle: Any) -> Any:
        if handle.dtype.scalar != tl.bfloat16 or handle.data.dtype != np.uint16:
            return handle
        bits = handle.data.astype(np.uint32) << 16
        return interpreter.TensorHandle(bits.view(np.float32), tl.float32)

    def dot(self: Any, a: Any, b: Any, d: Any, *rest: Any) -> Any:
        return create_dot(self, widened(a), widened(b), d, *rest)

    builder.create_dot = dot


def _take_first() -> None:
    from triton.runtime.autotuner import Autotuner

    def bench(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
        return [0.0, 0.0, 0.0]  # all alike: `min` takes the first

    Autotuner._bench = bench


def _round_to_bfloat16(interpreter: Any) -> None:
    import numpy as np
    import triton.language as tl

    convert = interpreter._convert_float
    nearest = interpreter._ir.ROUNDING_MODE.RTNE

    def rounded(data: Any, source: Any, target: Any, mode: Any) -> Any:
        if source != tl.float32 or target != tl.bfloat16 or mode not in (None, nearest):
            return convert(data, source, target, mode)
        bits = np.ascontiguousarray(data).view(np.uint32)
        up = (bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) >> 16
        quiet_nan = (bits >> 16) | np.uint32(0x40)
        is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
        return np.where(is_nan, quiet_nan, up).astype(np.uint16).reshape(np.shape(data))

    interpreter._convert_float = rounded


class _Nothing:
    """A scope that has nothing to restore."""

    def restore(self) -> None:
        pass


def _patch_once(interpreter: Any, tl: Any) -> None:
    patch_lang = interpreter._patch_lang
    scopes: list[Any] = []
    patched: set[int] = set()

    class Outermost:
        def restore(self) -> None:
            while scopes:
                scopes.pop().restore()
            patched.clear()

    def once(fn: Any) -> Any:
        languages = {id(v) for v in fn.__globals__.values() if inspect.ismodule(v) and v in (tl, tl.core)}
        if scopes and languages <= patched:
            return _Nothing()
        outermost = not scopes
        scope = patch_lang(fn)
        if scope is None:  # a version that never restores
            return None
        scopes.append(scope)
        patched.update(languages)
        return Outermost() if outermost else _Nothing()

    interpreter._patch_lang = once
