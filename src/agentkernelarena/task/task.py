"""A task: one operator in one category, with everything that follows from the two."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentkernelarena.task.axis import Choice, Configuration, Value
from agentkernelarena.task.dtype import DTYPES, Dtype, dtype_named
from agentkernelarena.task.expression import Expression, parse
from agentkernelarena.task.operator import Operator, Rule, Scalar, Tensor, Work

if TYPE_CHECKING:
    from agentkernelarena.task.draw import Draw


@dataclass(frozen=True)
class TensorSpec:
    """A tensor argument at one configuration: name, shape and dtype are settled."""

    name: str
    shape: tuple[int, ...]
    dtype: Dtype
    rule: Rule
    inout: bool = False

    @property
    def elements(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def bytes(self) -> int:
        return self.elements * self.dtype.size


@dataclass(frozen=True)
class ScalarSpec:
    """A by-value argument."""

    name: str
    dtype: Dtype


@dataclass(frozen=True)
class Mathematics:
    """The three functions of an operator file."""

    make_inputs: Callable[[Configuration, Draw], Mapping[str, Any]]
    reference: Callable[..., Any]
    work: Callable[[Configuration], Work]


@dataclass(frozen=True)
class Task:
    """`category/operator`: what an agent is asked to do, and what its judge needs to know.

    folder: the operator folder. category: the category's name. Everything here is read from the pristine suite.
    """

    id: str
    category: str
    name: str
    folder: Path
    operator: Operator
    mathematics: Mathematics

    def configuration(self, values: Mapping[str, Value]) -> Configuration:
        """Order `values` as the axes are declared."""
        return Configuration({axis: values[axis] for axis in self.operator.axes})

    @cached_property
    def seen(self) -> dict[str, Configuration]:
        return {name: self.configuration(values) for name, values in self.operator.seen.items()}

    @cached_property
    def smoke(self) -> Configuration:
        return self.configuration(self.operator.smoke)

    @cached_property
    def constraint(self) -> Expression:
        return parse(
            self.operator.constraint or "1", list(self.operator.axes), f"{self.folder}/operator.py: constraint"
        )

    def allows(self, values: Mapping[str, Value]) -> bool:
        """Whether each value lies in its axis and the constraint holds."""
        inside = all(axis.contains(values[name]) for name, axis in self.operator.axes.items())
        return inside and bool(self.constraint(values))

    @cached_property
    def dtype_axes(self) -> tuple[str, ...]:
        """The axes that are compile-time types in HIP source."""
        return tuple(n for n, a in self.operator.axes.items() if isinstance(a, Choice) and a.is_dtype)

    @cached_property
    def integer_axes(self) -> tuple[str, ...]:
        """The axes that are passed to `launch`, in order."""
        return tuple(n for n in self.operator.axes if n not in self.dtype_axes)

    @cached_property
    def _dimensions(self) -> dict[str, tuple[Expression, ...]]:
        arguments = {**self.operator.inputs, **self.operator.outputs}
        return {
            name: tuple(parse(d, list(self.operator.axes), f"{self.folder}/operator.py: {name}") for d in arg.dims)
            for name, arg in arguments.items()
            if isinstance(arg, Tensor)
        }

    def _spec(self, name: str, tensor: Tensor, cfg: Mapping[str, Value]) -> TensorSpec:
        dtype = dtype_named(str(cfg.get(tensor.dtype, tensor.dtype)), f"{self.folder}/operator.py: {name}")
        rule = tensor.rule or (Rule.CLOSE if dtype.is_float else Rule.EXACT)
        shape = tuple(d.integer(cfg) for d in self._dimensions[name])
        return TensorSpec(name, shape, dtype, rule, tensor.inout)

    def inputs(self, cfg: Mapping[str, Value]) -> tuple[TensorSpec | ScalarSpec, ...]:
        """Input arguments at `cfg`, in the order of `launch`."""
        return tuple(
            self._spec(name, arg, cfg) if isinstance(arg, Tensor) else ScalarSpec(name, DTYPES[arg.dtype])
            for name, arg in self.operator.inputs.items()
        )

    def outputs(self, cfg: Mapping[str, Value]) -> tuple[TensorSpec, ...]:
        """Output arguments at `cfg`, in the order of `launch`."""
        return tuple(self._spec(name, arg, cfg) for name, arg in self.operator.outputs.items())

    def build_key(self, cfg: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
        """The compile-time part of a configuration: one HIP build serves all configurations that share it."""
        return tuple((axis, str(cfg[axis])) for axis in self.dtype_axes)

    @cached_property
    def digest(self) -> str:
        """Content hash of the task: its category and every file of its folder. A changed task changes it."""
        state = hashlib.sha256(self.category.encode())
        for path in sorted(p for p in self.folder.iterdir() if p.suffix in (".py", ".hip", ".h")):
            state.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        return state.hexdigest()

    def scalar_names(self) -> tuple[str, ...]:
        return tuple(n for n, a in self.operator.inputs.items() if isinstance(a, Scalar))
