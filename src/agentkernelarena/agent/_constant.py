"""Numbers in a kernel's source that can be tuned without understanding it: named constants and launch parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST = 8192

_DEFINITION = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+|unsigned\s+)*(?:int|unsigned|size_t|long|u?int(?:8|16|32|64)_t|auto)\s+"
    r"(?P<name>\w+)\s*(?:=\s*|\{\s*)(?P<value>\d+)(?=\s*[uUlL]*\s*[;,}])"
)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<value>\d+)[ \t]*$", re.MULTILINE)
_BOUNDS = re.compile(r"(?P<name>__launch_bounds__)\s*\(\s*(?P<value>\d+)(?=\s*[,)])")
_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


@dataclass(frozen=True)
class Site:
    """One number: the text from `start` to `end` of the source may be replaced. values: what to try instead.

    pattern: how a value is written there, such as ``, num_warps={}`` where the source has none.
    """

    name: str
    start: int
    end: int
    value: int | None
    values: tuple[int, ...]
    pattern: str = "{}"


def sites(source: str, language: str) -> tuple[Site, ...]:
    """The tunable numbers of `source`, in the order in which they stand; empty when it cannot be parsed."""
    found = _triton(source) if language == "triton" else _hip(source)
    return tuple(sorted((s for s in found if s.values), key=lambda s: s.start))


def replaced(source: str, chosen: Sequence[tuple[Site, int | None]]) -> str:
    """`source` with each site's value; None leaves it as it is."""
    for site, value in sorted(chosen, key=lambda item: -item[0].start):
        if value is not None:
            source = source[:site.start] + site.pattern.format(value) + source[site.end:]
    return source


def _neighbours(value: int) -> tuple[int, ...]:
    """Values to try: halved and doubled, near ones first."""
    around = (value // 2, value * 2, value // 4, value * 4)
    return tuple(dict.fromkeys(v for v in around if 0 < v <= LARGEST and v != value))


def _hip(source: str) -> list[Site]:
    code = _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    found = []
    for pattern in (_DEFINITION, _MACRO, _BOUNDS):
        for match in pattern.finditer(code):
            value = int(match["value"])
            # One and zero are flags and identities far more often than sizes.
            values = _neighbours(value) if 2 <= value <= LARGEST else ()
            found.append(Site(match["name"], match.start("value"), match.end("value"), value, values))
    return found


def _triton(source: str) -> list[Site]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    offsets = [0]
    for line in source.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    if not source.isascii():
        return []
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found += _literal(node.targets[0].id, node.value, offsets, smallest=2)
        elif isinstance(node, ast.FunctionDef) and node.name == "launch":
            found += _launch(node, offsets, source)
    return found


def _launch(function: ast.FunctionDef, offsets: list[int], source: str) -> list[Site]:
    found, seen = [], set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                seen.add(keyword.value)
                found += _literal(keyword.arg or "", keyword.value, offsets, smallest=1)
            if isinstance(node.func, ast.Subscript):
                names = {k.arg for k in node.keywords}
                end = offsets[(node.end_lineno or 1) - 1] + (node.end_col_offset or 1) - 1
                if "num_warps" not in names and (node.args or node.keywords):
                    comma = "" if source[:end].rstrip().endswith(",") else ", "
                    found.append(Site("num_warps", end, end, None, (8, 2, 1, 16), comma + "num_warps={}"))
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and node not in seen:
            found += _literal("size", node, offsets, smallest=16)
    return found


def _literal(name: str, node: ast.expr, offsets: list[int], smallest: int) -> list[Site]:
    if not isinstance(node, ast.Constant) or type(node.value) is not int or not smallest <= node.value <= LARGEST:
        return []
    if node.value & (node.value - 1):
        return []
    start = offsets[node.lineno - 1] + node.col_offset
    end = offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or node.col_offset)
    return [Site(name, start, end, node.value, _neighbours(node.value))]
