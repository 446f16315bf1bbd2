"""Strict checks of a declaration, done once when a task is loaded: every error names file, field and remedy."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.task.axis import Axis, Choice, Range, Value
from agentkernelarena.task.dtype import DTYPES
from agentkernelarena.task.operator import Operator, Scalar, Tensor
from agentkernelarena.task.task import Task, TensorSpec

_SCALARS = ("float32", "float64", "int32", "int64")
_RESERVED = frozenset({"launch", "stream", "scalar_t"})


def check_declaration(task: Task) -> None:
    """Raise `InputError` for the first thing wrong in `task.operator`."""
    operator, file = task.operator, f"{task.folder}/operator.py"
    _check_axes(operator, file)
    _check_arguments(operator, file)
    for name, values in operator.seen.items():
        _check_configuration(task, values, f"{file}: seen[{name!r}]")
    _check_configuration(task, operator.smoke, f"{file}: smoke")
    if not operator.seen:
        raise InputError(f"{file}: seen", "is empty", "give four to eight configurations of named workloads")
    for name, cfg in {**task.seen, "smoke": task.smoke}.items():
        for spec in (*(s for s in task.inputs(cfg) if isinstance(s, TensorSpec)), *task.outputs(cfg)):
            if any(extent < 0 for extent in spec.shape):
                raise InputError(
                    f"{file}: {spec.name}",
                    f"has shape {spec.shape} at {name!r}",
                    "let its dimensions follow from the axes",
                )
    _check_functions(task, file)


def _check_axes(operator: Operator, file: str) -> None:
    for name, axis in operator.axes.items():
        place = f"{file}: axes[{name!r}]"
        if not name.isidentifier() or name in _RESERVED:
            raise InputError(place, "is not usable as an argument name", "use another name")
        if isinstance(axis, Range):
            first = -(-axis.low // axis.multiple_of) * axis.multiple_of if axis.multiple_of > 0 else 0
            if axis.multiple_of < 1 or first > axis.high:
                raise InputError(place, f"holds no value ({axis.describe()})", "low <= high, with a multiple between")
            if axis.logarithmic and axis.low < 1:
                raise InputError(place, f"starts at {axis.low}", "a log_range starts at 1 or more; use int_range")
        elif isinstance(axis, Choice):
            kinds = {type(v) for v in axis.values}
            if not axis.values or len(kinds) > 1 or (kinds == {str} and not axis.is_dtype):
                wrong = next((v for v in axis.values if isinstance(v, str) and v not in DTYPES), axis.values)
                raise InputError(
                    place,
                    f"{wrong!r} is no dtype, or the values are mixed",
                    f"all dtypes ({', '.join(DTYPES)}), all integers or all booleans",
                )
        else:
            raise InputError(place, f"is a {type(axis).__name__}", "use log_range, int_range or choice")


def _check_arguments(operator: Operator, file: str) -> None:
    dtype_names = [*DTYPES, *(n for n, a in operator.axes.items() if isinstance(a, Choice) and a.is_dtype)]
    taken = set(operator.axes)
    for group, arguments in (("inputs", operator.inputs), ("outputs", operator.outputs)):
        for name, argument in arguments.items():
            place = f"{file}: {group}[{name!r}]"
            if name in taken or not name.isidentifier() or name in _RESERVED:
                raise InputError(place, "the name is taken or not an identifier", "give every argument its own name")
            taken.add(name)
            if isinstance(argument, Scalar):
                if group == "outputs" or argument.dtype not in _SCALARS:
                    raise InputError(place, "is a bad Scalar", f"inputs only, of dtype {', '.join(_SCALARS)}")
            elif isinstance(argument, Tensor):
                if argument.dtype not in dtype_names:
                    raise InputError(place, f"unknown dtype {argument.dtype!r}", nearest(argument.dtype, dtype_names))
                if argument.inout and group == "inputs":
                    raise InputError(place, "is an in-out tensor among the inputs", "declare it in outputs")
            else:
                raise InputError(place, f"is a {type(argument).__name__}", "use Tensor(...) or Scalar(...)")
    if not operator.outputs:
        raise InputError(f"{file}: outputs", "is empty", "declare at least one output Tensor")


def _check_configuration(task: Task, values: Mapping[str, Value], place: str) -> None:
    axes: Mapping[str, Axis] = task.operator.axes
    for name in values:
        if name not in axes:
            raise InputError(f"{place}[{name!r}]", "is not an axis", nearest(name, list(axes)))
    for name, axis in axes.items():
        if name not in values:
            raise InputError(place, f"has no value for axis {name!r}", f"add {name}={axis.describe()}")
        if not axis.contains(values[name]):
            raise InputError(
                f"{place}[{name!r}]", f"{values[name]!r} lies outside its axis", f"allowed: {axis.describe()}"
            )
    if not task.constraint(values):
        raise InputError(
            place, f"breaks the constraint {task.operator.constraint!r}", "change the configuration or the constraint"
        )


def _check_functions(task: Task, file: str) -> None:
    wanted = [*task.operator.inputs, *(n for n, t in task.operator.outputs.items() if t.inout)]
    parameters = inspect.signature(task.mathematics.reference).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    missing = [n for n in wanted if n not in parameters]
    extra = [
        n
        for n, p in parameters.items()
        if n not in wanted and p.default is inspect.Parameter.empty and n not in task.integer_axes
    ]
    if missing or extra:
        raise InputError(
            f"{file}: reference",
            f"takes ({', '.join(parameters)}); missing {missing}, unknown {extra}",
            f"take the inputs by name: ({', '.join(wanted)}); axes that shapes do not tell may follow",
        )


def check_drawn(task: Task, cfg: Mapping[str, Value], inputs: Mapping[str, object]) -> None:
    """Check what `make_inputs` returned against the declaration: names, shapes, dtypes; raise `InputError`."""
    import torch

    file = f"{task.folder}/operator.py: make_inputs"
    expected = {s.name: s for s in task.inputs(cfg)}
    expected.update({s.name: s for s in task.outputs(cfg) if s.inout})
    if set(inputs) != set(expected):
        raise InputError(file, f"returned {sorted(inputs)}", f"return exactly {sorted(expected)}")
    for name, spec in expected.items():
        value = inputs[name]
        shape = getattr(spec, "shape", None)
        if shape is None:
            if not isinstance(value, int | float):
                raise InputError(f"{file}: {name}", f"is a {type(value).__name__}", "return a Python number")
            continue
        dtype = getattr(torch, spec.dtype.torch_name)
        if not isinstance(value, torch.Tensor) or tuple(value.shape) != shape or value.dtype != dtype:
            got = f"{tuple(value.shape)} {value.dtype}" if isinstance(value, torch.Tensor) else type(value).__name__
            raise InputError(f"{file}: {name}", f"is {got} at {dict(cfg)}", f"declared: {shape} {spec.dtype.name}")
