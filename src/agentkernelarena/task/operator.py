"""What a task author declares: the operator's axes, arguments, configurations and accumulation.

An operator folder's `operator.py` assigns one `Operator` to `OPERATOR` and defines three functions:

    make_inputs(cfg, draw) -> dict       every declared input (and the initial value of every in-out output) by name
    reference(**inputs)    -> Tensor | tuple | dict     the outputs in declared order, right in float64
    work(cfg)              -> Work       fewest bytes moved and operations done: the physical floor
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentkernelarena.task.axis import Axis, Value

Dimension = str | int


class Rule(StrEnum):
    """How an output is compared with the reference: a closed set."""

    CLOSE = "close"
    """Every element within its error bound; NaN and infinities exactly."""
    EXACT = "exact"
    """Every element equal. The rule of integer and boolean outputs."""


class Family(StrEnum):
    """Families of values that the judge draws float inputs from; `Operator.families` says which are allowed."""

    NORMAL = "normal"
    """Standard normal."""
    POSITIVE = "positive"
    """Absolute values of a standard normal: sums do not cancel, so a dropped term shows."""
    WIDE = "wide"
    """Normal times powers of two from 2**-6 to 2**6: a wide dynamic range."""
    HEAVY = "heavy"
    """Cubes of a standard normal: rare large values carry the sums."""
    CLUSTERED = "clustered"
    """A large common offset plus a small spread: maxima lie close together and naive formulas cancel."""
    SMALL = "small"
    """Normal times 2**-10: what is added to keep a denominator from zero begins to count."""
    TIES = "ties"
    """Multiples of one half, with many zeros and equal values."""


ALL_FAMILIES = tuple(Family)


@dataclass(frozen=True)
class Tensor:
    """A contiguous tensor argument: dimensions as integers or expressions over axes, and an element type.

    `dtype` is a dtype name or the name of a dtype axis. Base pointers are aligned to 16 bytes, nothing more.
    `rule` (outputs only) defaults to exact for integers and close for floats; `inout` outputs come in holding the
    value that `make_inputs` returns under their name.
    """

    dims: tuple[Dimension, ...]
    dtype: str
    rule: Rule | None = None
    inout: bool = False

    def __init__(self, *dims: Dimension, dtype: str = "dtype", rule: Rule | None = None, inout: bool = False) -> None:
        for name, value in (("dims", dims), ("dtype", dtype), ("rule", rule), ("inout", inout)):
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Scalar:
    """A number passed by value: ``float32`` (C float), ``float64`` (double), ``int32`` or ``int64``."""

    dtype: str


Argument = Tensor | Scalar


@dataclass(frozen=True)
class Work:
    """The least that any implementation has to do: compulsory traffic in bytes and arithmetic operations.

    Bytes count every input element that must be read once and every output element written once. `operations` are
    multiply-adds counted as two, in the rate class `rate` (a dtype name: which peak bounds them).
    """

    bytes: int
    operations: int = 0
    rate: str = "float32"


@dataclass(frozen=True)
class Operator:
    """The declaration of one operator.

    axes: parameters by name, in the order in which integer ones are passed to `launch`.
    inputs, outputs: arguments by name, in the order in which they are passed to `launch`.
    seen: four to eight configurations by the name of the workload they come from; agents are given them.
    smoke: one tiny odd-sized configuration that runs anywhere in a second.
    constraint: an expression over the axes that every configuration satisfies ("" for none).
    accumulation: the type in which a competent kernel accumulates; error bounds follow from it.
    families: value families that the contract allows for the inputs.
    bound_factor: how many times its own error the baseline's error bound is (`k` of the judge).
    """

    title: str
    family: str
    axes: Mapping[str, Axis]
    inputs: Mapping[str, Argument]
    outputs: Mapping[str, Tensor]
    seen: Mapping[str, Mapping[str, Value]]
    smoke: Mapping[str, Value]
    constraint: str = ""
    accumulation: str = "float32"
    families: tuple[Family, ...] = ALL_FAMILIES
    bound_factor: float = 4.0
    tags: tuple[str, ...] = field(default=())
