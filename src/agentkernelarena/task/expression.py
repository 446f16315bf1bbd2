"""Small arithmetic over axes: tensor dimensions (``"rows // 2"``) and constraints (``"rows * cols <= 2**28"``).

Expressions are parsed once into Python's own syntax tree and evaluated by walking a closed set of node types, so a
task file can compute sizes and nothing else.
"""

from __future__ import annotations

import ast
import operator as op
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentkernelarena.errors import InputError, nearest

Value = int | bool | str

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: op.add,
    ast.Sub: op.sub,
    ast.Mult: op.mul,
    ast.FloorDiv: op.floordiv,
    ast.Mod: op.mod,
    ast.Pow: op.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: op.eq,
    ast.NotEq: op.ne,
    ast.Lt: op.lt,
    ast.LtE: op.le,
    ast.Gt: op.gt,
    ast.GtE: op.ge,
}
_CALLS: dict[str, Callable[..., int]] = {"min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}


@dataclass(frozen=True)
class Expression:
    """A parsed expression; `names` are the axes that it reads."""

    text: str
    tree: ast.expr
    names: frozenset[str]

    def __call__(self, axes: Mapping[str, Value]) -> Value:
        """Evaluate with one value for each axis. Division or modulo by zero makes a constraint false (returns 0)."""
        try:
            return _evaluate(self.tree, axes)
        except ZeroDivisionError:
            return 0

    def integer(self, axes: Mapping[str, Value]) -> int:
        """Evaluate to an int, the value of a tensor dimension."""
        return int(self(axes))


def parse(text: str | int, axes: list[str], place: str) -> Expression:
    """Parse `text`; raise `InputError` at `place` for anything but arithmetic over the named axes."""
    source = str(text)
    try:
        tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise InputError(
            place, f"cannot parse {source!r}: {error.msg}", "write Python arithmetic over the axes"
        ) from None
    names: set[str] = set()
    for node in ast.walk(tree):
        _check(node, source, place)
        if isinstance(node, ast.Name) and node.id not in _CALLS:
            if node.id not in axes:
                raise InputError(place, f"{source!r} uses {node.id!r}, which is not an axis", nearest(node.id, axes))
            names.add(node.id)
    return Expression(source, tree, frozenset(names))


_LEAVES = (ast.Name, ast.Load, ast.BoolOp, ast.And, ast.Or, ast.Not, ast.UnaryOp, ast.USub, ast.BinOp, ast.Compare)


def _check(node: ast.AST, source: str, place: str) -> None:
    fine = isinstance(node, _LEAVES) or type(node) in _BINARY or type(node) in _COMPARE
    if isinstance(node, ast.Constant):
        fine = isinstance(node.value, int | str)
    if isinstance(node, ast.Call):
        fine = isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords
    if not fine:
        raise InputError(
            place,
            f"{source!r} contains {type(node).__name__}, which expressions do not have",
            "use + - * // % **, comparisons, and/or/not, min, max, ceil_div",
        )


def _evaluate(node: ast.expr, axes: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=value):
            return value  # type: ignore[return-value]
        case ast.Name(id=name):
            return axes[name]
        case ast.BinOp(left=left, op=kind, right=right):
            return _BINARY[type(kind)](int(_evaluate(left, axes)), int(_evaluate(right, axes)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -int(_evaluate(operand, axes))
        case ast.UnaryOp(operand=operand):
            return not _evaluate(operand, axes)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_evaluate(v, axes) for v in values)
        case ast.BoolOp(values=values):
            return any(_evaluate(v, axes) for v in values)
        case ast.Compare(left=left, ops=kinds, comparators=rest):
            chain = [_evaluate(left, axes), *(_evaluate(r, axes) for r in rest)]
            return all(_COMPARE[type(k)](a, b) for k, a, b in zip(kinds, chain[:-1], chain[1:], strict=True))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _CALLS[name](*(int(_evaluate(a, axes)) for a in args))
    raise AssertionError(f"unchecked node {node!r}")
