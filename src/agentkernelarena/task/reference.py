"""Calling an operator's reference: which arguments it takes and how its results are named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from agentkernelarena.errors import InputError
from agentkernelarena.task.operator import Operator


def reference_axes(reference: Callable[..., Any], operator: Operator) -> tuple[str, ...]:
    """Axes that the reference takes besides the inputs, because no shape tells them."""
    return tuple(name for name in inspect.signature(reference).parameters if name in operator.axes)


def name_outputs(operator: Operator, results: Any) -> dict[str, Any]:
    """Outputs by name from whatever a reference returns: one tensor, a tuple in declared order, or a dict.

    Raises:
        InputError: the number of results or their names are not those of the declaration.
    """
    names = list(operator.outputs)
    if isinstance(results, Mapping):
        found = dict(results)
    else:
        values = results if isinstance(results, tuple | list) else (results,)
        found = dict(zip(names, values, strict=False))
        if len(values) != len(names):
            raise InputError(f"reference of {operator.title!r}", f"returned {len(values)} results", f"return {names}")
    if set(found) != set(names):
        raise InputError(f"reference of {operator.title!r}", f"returned {sorted(found)}", f"return {names}")
    return found
