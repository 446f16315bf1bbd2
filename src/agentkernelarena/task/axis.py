"""Axes: the parameters of an operator, and configurations: one value for each of them.

The words are nvbench's: an axis is a parameter with a domain, a configuration a point in the product of all domains.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentkernelarena.task.dtype import DTYPES

Value = int | bool | str


@dataclass(frozen=True)
class Range:
    """Integers from `low` to `high` inclusive that are multiples of `multiple_of`.

    `logarithmic` says how they are drawn: evenly in the logarithm (sizes) or evenly (small counts).
    """

    low: int
    high: int
    multiple_of: int = 1
    logarithmic: bool = True

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
            and value % self.multiple_of == 0
        )

    def describe(self) -> str:
        step = f", multiples of {self.multiple_of}" if self.multiple_of > 1 else ""
        return f"{self.low} to {self.high}{step}"


@dataclass(frozen=True)
class Choice:
    """One of a few named values: all dtypes, all integers or all booleans."""

    values: tuple[Value, ...]

    def contains(self, value: Value) -> bool:
        return any(value == v and type(value) is type(v) for v in self.values)

    def describe(self) -> str:
        return ", ".join(str(v) for v in self.values)

    @property
    def is_dtype(self) -> bool:
        return all(isinstance(v, str) and v in DTYPES for v in self.values)


Axis = Range | Choice


def log_range(low: int, high: int, multiple_of: int = 1) -> Range:
    """A size that is drawn evenly in its logarithm, from `low` to `high` inclusive."""
    return Range(low, high, multiple_of, logarithmic=True)


def int_range(low: int, high: int, multiple_of: int = 1) -> Range:
    """A small count that is drawn evenly, from `low` to `high` inclusive."""
    return Range(low, high, multiple_of, logarithmic=False)


def choice(*values: Value) -> Choice:
    """One of `values`: dtype names (a compile-time type in HIP), integers or booleans (passed as int64_t)."""
    return Choice(tuple(values))


class Configuration(Mapping[str, Value]):
    """One value for each axis, immutable and hashable; `cfg.rows` and `cfg["rows"]` are the same."""

    __slots__ = ("_items",)
    _items: dict[str, Value]

    def __init__(self, values: Mapping[str, Value]) -> None:
        object.__setattr__(self, "_items", dict(values))

    def __getitem__(self, axis: str) -> Value:
        return self._items[axis]

    def __getattr__(self, axis: str) -> Value:
        if axis.startswith("_"):
            raise AttributeError(axis)
        try:
            return self[axis]
        except KeyError:
            raise AttributeError(f"no axis {axis!r} in {self.label}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Configuration is immutable")

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __repr__(self) -> str:
        return f"Configuration({self.label})"

    def __reduce__(self) -> tuple[type[Configuration], tuple[dict[str, Value]]]:
        return Configuration, (dict(self),)

    @property
    def label(self) -> str:
        """Such as ``rows=4096 cols=128 dtype=float16``: for tables and messages."""
        return " ".join(f"{k}={v}" for k, v in self.items())

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the values, the same on every machine."""
        return hashlib.sha256(json.dumps(dict(self), sort_keys=True).encode()).hexdigest()[:12]
