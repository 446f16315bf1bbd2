"""Sizing configurations to a target: the same operator, as large as memory and speed allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from agentkernelarena.task.axis import Configuration, Range, Value
from agentkernelarena.task.task import Task, TensorSpec


@dataclass(frozen=True)
class Capacity:
    """Largest total of argument bytes, and of arithmetic operations, for one call."""

    bytes: int
    operations: int


def argument_bytes(task: Task, cfg: Mapping[str, Value]) -> int:
    """Bytes of all tensor arguments of one call."""
    tensors = [s for s in task.inputs(cfg) if isinstance(s, TensorSpec)]
    return sum(s.bytes for s in (*tensors, *task.outputs(cfg)))


def fits_capacity(task: Task, cfg: Mapping[str, Value], capacity: Capacity) -> bool:
    """Whether one call stays within `capacity`."""
    if argument_bytes(task, cfg) > capacity.bytes:
        return False
    return task.mathematics.work(task.configuration(cfg)).operations <= capacity.operations


def fit_configuration(task: Task, cfg: Configuration, capacity: Capacity) -> Configuration:
    """Shrink the largest range axis, again and again, until the configuration fits; deterministic.

    Each step multiplies one axis by about 0.7, keeps its alignment and never leaves its range or the constraint, so
    what remains is like the original: odd stays odd where the axis allows, and ratios are kept as far as possible.
    Returns the smoke configuration when nothing smaller is allowed.
    """
    values = dict(cfg)
    for _ in range(200):
        if fits_capacity(task, values, capacity):
            return task.configuration(values)
        candidates = [s for s in (_shrunk(task, values, axis) for axis in task.operator.axes) if s is not None]
        if not candidates:
            break
        values = max(candidates, key=lambda c: _slack(values, c))
    return task.smoke


def _shrunk(task: Task, values: dict[str, Value], name: str) -> dict[str, Value] | None:
    axis, value = task.operator.axes[name], values[name]
    if not isinstance(axis, Range) or not isinstance(value, int):
        return None
    lowest = -(-axis.low // axis.multiple_of) * axis.multiple_of
    smaller = max(lowest, int(value * 0.7) // axis.multiple_of * axis.multiple_of)
    if axis.multiple_of == 1 and value % 2 == 1 and smaller % 2 == 0 and smaller > lowest:
        smaller -= 1
    changed = {**values, name: smaller}
    return changed if smaller < value and task.allows(changed) else None


def _slack(before: Mapping[str, Value], after: Mapping[str, Value]) -> float:
    """Prefer the axis that is largest now."""
    changed = next(k for k in before if before[k] != after[k])
    return math.log2(int(before[changed]))


def sized_seen(task: Task, capacity: Capacity, limit: int) -> dict[str, Configuration]:
    """Up to `limit` seen configurations, shrunk to `capacity`, after the smoke one; repetitions are dropped.

    Configurations that differ in dtype come first, so that every compile-time type is built and run.
    """
    chosen: dict[str, Configuration] = {"smoke": task.smoke}
    pool = [(n, fit_configuration(task, c, capacity)) for n, c in task.seen.items()]
    for fresh_only in (True, False):
        for name, cfg in pool:
            if len(chosen) >= limit or cfg in chosen.values() or name in chosen:
                continue
            keys = {task.build_key(c) for c in chosen.values()}
            if fresh_only and task.build_key(cfg) in keys:
                continue
            chosen[name] = cfg
    return chosen
