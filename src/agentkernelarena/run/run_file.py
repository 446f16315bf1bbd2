"""Run files: YAML to `RunSettings`, strictly. Every error names the file, the line, the key and the remedy."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType

import yaml
from pydantic import BaseModel, ValidationError

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.record import RunSettings

Location = tuple[str | int, ...]
Lines = dict[Location, int]


def load(file: Path) -> RunSettings:
    """Read a run file. In it an agent may be a bare name, and `tasks` or `agents` a single entry instead of a list.

    Raises:
        InputError: the file cannot be read, is no YAML, or holds a key or value that `RunSettings` does not allow.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(file), reason, "give a run file, such as examples/run.yaml") from error
    return parse(text, str(file))


def parse(text: str, place: str) -> RunSettings:
    """The same for text that comes from `place`."""
    lines: Lines = {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{place}:{mark.line + 1}" if mark else place
        raise InputError(where, f"is no YAML: {getattr(error, 'problem', error)}", "mend its syntax") from error
    if not isinstance(node, yaml.MappingNode):
        raise InputError(place, "is not a mapping of settings", "write `agents: [...]` and `tasks: [...]`")
    _index(node, (), lines, place)
    values = yaml.load(text, Loader=yaml.SafeLoader)
    return from_values(_normalised(values), place, lines)


def from_values(values: Mapping[str, object], place: str, lines: Lines | None = None) -> RunSettings:
    """Validate `values`; `lines` tells on which line of `place` each key stands."""
    try:
        return RunSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        location: Location = tuple(p for p in first["loc"] if p != "[key]")
        name = _dotted(location)
        at = next((line for n in range(len(location), 0, -1) if (line := (lines or {}).get(location[:n]))), None)
        where = f"{place}:{at}: {name}" if at else f"{place}: {name}"
        model = _model_at(RunSettings, location[:-1])
        known = sorted(model.model_fields) if model else []
        if first["type"] == "extra_forbidden":
            raise InputError(where, "is no setting", nearest(str(location[-1]), known)) from None
        if first["type"] == "missing":
            raise InputError(where, "is missing", f"add `{location[-1]}:`; see examples/run.yaml") from None
        problem = first["msg"].removeprefix("Value error, ")
        got = first["input"]
        shown = f" (it is {got!r})" if isinstance(got, str | int | float | bool) or got is None else ""
        raise InputError(where, problem[:1].lower() + problem[1:] + shown, "see docs/cli.md for the settings") from None


def _normalised(values: Mapping[str, object]) -> dict[str, object]:
    out = dict(values)
    for key in ("agents", "tasks"):
        if isinstance(out.get(key), str | Mapping):
            out[key] = [out[key]]
    if isinstance(agents := out.get("agents"), Sequence):
        out["agents"] = [_agent(a) for a in agents]
    out.setdefault("target", "auto")
    return out


def _agent(value: object) -> object:
    if isinstance(value, str):
        return {"agent": value}
    if isinstance(value, Mapping) and isinstance(options := value.get("options"), Mapping):
        # Options are recorded as text; YAML reads `effort: 3` and `strict: yes` as other types.
        return {**value, "options": {str(k): v if isinstance(v, str) else _text(v) for k, v in options.items()}}
    return value


def _text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _index(node: yaml.Node, path: Location, lines: Lines, place: str) -> None:
    """Record the line of every key and item; refuse a key that stands twice (YAML would keep the last in silence)."""
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in seen:
                raise InputError(f"{place}:{line}: {_dotted((*path, name))}", "stands twice", "remove one of the two")
            seen.add(name)
            lines[(*path, name)] = line
            _index(value, (*path, name), lines, place)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _index(item, (*path, number), lines, place)


def _dotted(location: Location) -> str:
    out = ""
    for part in location:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out or "settings"


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel] | None:
    """The model whose field `location` leads to: followed through tuples, mappings and unions."""
    current: type[BaseModel] | None = model
    for part in location:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part) if current else None
        current = _model_in(field.annotation) if field else None
    return current


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and not isinstance(annotation, UnionType) and not typing.get_origin(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    return next((m for a in typing.get_args(annotation) if (m := _model_in(a))), None)
