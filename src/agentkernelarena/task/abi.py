"""The kernel's interface, derived from the declaration: one argument order for HIP and Triton alike.

    inputs, outputs (destination passing), integer axes as int64_t, and for HIP the stream

A dtype axis is a compile-time type: each HIP build defines `AKA_<AXIS>` and the generated header maps it to a C type
(`scalar_t` for the axis called ``dtype``, `<axis>_t` otherwise).
"""

from __future__ import annotations

from collections.abc import Mapping

from agentkernelarena.task.axis import Choice, Value
from agentkernelarena.task.dtype import DTYPES
from agentkernelarena.task.operator import Scalar, Tensor
from agentkernelarena.task.task import Task

HEADER_NAME = "operator.h"
_SCALAR_C = {"float32": "float", "float64": "double", "int32": "int32_t", "int64": "int64_t"}
_HEADERS = {
    "float16": "hip/hip_fp16.h",
    "bfloat16": "hip/hip_bf16.h",
    "float8_e4m3": "hip/hip_fp8.h",
    "float8_e5m2": "hip/hip_fp8.h",
}


def c_type_name(axis: str) -> str:
    """Name of the C type that a dtype axis becomes."""
    return "scalar_t" if axis == "dtype" else f"{axis}_t"


def defines(task: Task, cfg: Mapping[str, Value]) -> dict[str, str]:
    """Preprocessor macros that select the C types of `cfg`."""
    return {f"AKA_{axis.upper()}": str(_dtype_number(str(cfg[axis]))) for axis in task.dtype_axes}


def prototype(task: Task) -> str:
    """The exact C prototype of `launch`."""
    lines: list[str] = []
    for name, argument in {**task.operator.inputs, **task.operator.outputs}.items():
        if isinstance(argument, Scalar):
            lines.append(f"{_SCALAR_C[argument.dtype]} {name}")
        else:
            const = "const " if name in task.operator.inputs else ""
            lines.append(f"{const}{_c_type(task, argument)}* {name}")
    lines += [f"int64_t {axis}" for axis in task.integer_axes]
    return 'extern "C" void launch(\n    ' + ",\n    ".join([*lines, "hipStream_t stream"]) + ")"


def signature(task: Task) -> str:
    """The exact Python signature of `launch` in a Triton file."""
    names = [*task.operator.inputs, *task.operator.outputs, *task.integer_axes]
    return f"def launch({', '.join(names)}):"


def header(task: Task) -> str:
    """Text of `operator.h`: includes, the C types of the dtype axes, a table of arguments, the prototype."""
    used: set[str] = set()
    for argument in {**task.operator.inputs, **task.operator.outputs}.values():
        used.add(argument.dtype)
    for axis in task.dtype_axes:
        used.update(str(v) for v in _choices(task, axis))
    includes = ["hip/hip_runtime.h", *sorted({_HEADERS[d] for d in used if d in _HEADERS})]
    out = [
        f"// Generated for {task.name}: the interface of its kernel. Do not edit.",
        "#pragma once",
        "#include <stdint.h>",
    ]
    out += [f"#include <{i}>" for i in includes] + [""]
    for axis in task.dtype_axes:
        out += _type_selection(task, axis)
    out += _conversions(used)
    out += [f"// {line}" for line in describe(task)]
    out += [prototype(task) + ";", ""]
    return "\n".join(out)


_CONVERSIONS = {
    "float32": ("v", "v"),
    "float16": ("__half2float(v)", "__float2half(v)"),
    "bfloat16": ("__bfloat162float(v)", "__float2bfloat16(v)"),
}


def _conversions(dtypes: set[str]) -> list[str]:
    """`to_float(v)` and `from_float<T>(v)` for the dtypes in use: every kernel needs them, none should repeat them."""
    used = [d for d in _CONVERSIONS if d in dtypes]
    out = ["template <typename T> __device__ inline T from_float(float v);"] if used else []
    for name in used:
        c_name, (there, back) = DTYPES[name].c_name, _CONVERSIONS[name]
        out += [
            f"__device__ inline float to_float({c_name} v) {{ return {there}; }}",
            f"template <> __device__ inline {c_name} from_float<{c_name}>(float v) {{ return {back}; }}",
        ]
    return [*out, ""] if out else []


def describe(task: Task) -> list[str]:
    """One line per argument: name, shape, dtype, direction."""
    lines = []
    for name, argument in {**task.operator.inputs, **task.operator.outputs}.items():
        if isinstance(argument, Tensor):
            shape = ", ".join(str(d) for d in argument.dims)
            role = "input" if name in task.operator.inputs else "in-out" if argument.inout else "output"
            lines.append(f"{name}: [{shape}] {argument.dtype}, {role}, contiguous, 16-byte aligned")
        else:
            lines.append(f"{name}: {argument.dtype} by value")
    lines += [f"{axis}: {task.operator.axes[axis].describe()}" for axis in task.integer_axes]
    return lines


def skeleton(task: Task) -> str:
    """The file that an agent starts from when the category gives none: the prototype with an empty body."""
    return (
        f'#include "{HEADER_NAME}"\n\n// Write the outputs from the inputs on `stream`; see TASK.md and reference.py.\n'
        f"{prototype(task)} {{\n}}\n"
    )


def _c_type(task: Task, tensor: Tensor) -> str:
    return c_type_name(tensor.dtype) if tensor.dtype in task.dtype_axes else DTYPES[tensor.dtype].c_name


def _choices(task: Task, axis: str) -> tuple[Value, ...]:
    domain = task.operator.axes[axis]
    assert isinstance(domain, Choice)
    return domain.values


def _dtype_number(name: str) -> int:
    return list(DTYPES).index(name)


def _type_selection(task: Task, axis: str) -> list[str]:
    macro, out = f"AKA_{axis.upper()}", []
    values = [str(v) for v in _choices(task, axis)]
    out += [
        f"#ifndef {macro}",
        f"#define {macro} {_dtype_number(values[0])}  // editors only; builds define it",
        "#endif",
    ]
    for index, value in enumerate(values):
        keyword = "#if" if index == 0 else "#elif"
        out += [
            f"{keyword} {macro} == {_dtype_number(value)}",
            f"typedef {DTYPES[value].c_name} {c_type_name(axis)};",
            f"#define {macro}_IS_{value.upper()} 1",
        ]
    return [*out, "#else", f'#error "{macro}: no such dtype"', "#endif", ""]
