"""Name -> plug-in: a module of a built-in package, or an entry point of another distribution.

A built-in plug-in is one file; its file name is its registered name. Other distributions add theirs through the
entry-point group ``agentkernelarena.<kind>``. There is no second list to edit.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from functools import cache
from types import ModuleType

from agentkernelarena.errors import InputError, nearest


def names(kind: str) -> list[str]:
    """Every registered name of `kind` (a package such as ``agent`` or ``task.category``), sorted."""
    package = importlib.import_module(f"agentkernelarena.{kind}")
    built_in = [m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")]
    declared = getattr(package, "PLUGINS", None)
    found = set(built_in if declared is None else declared)
    return sorted(found | {e.name for e in _entry_points(kind)})


def load(kind: str, name: str) -> ModuleType:
    """Import the module that implements `name`; raise `InputError` naming the known ones when there is none."""
    for entry in _entry_points(kind):
        if entry.name == name:
            module = entry.load()
            if not isinstance(module, ModuleType):
                raise InputError(f"entry point {entry.value}", "is not a module", "let it name the plug-in's module")
            return module
    if name not in names(kind):
        raise InputError(kind.rpartition(".")[2], f"there is no {name!r}", nearest(name, names(kind)))
    return importlib.import_module(f"agentkernelarena.{kind}.{name}")


@cache
def _entry_points(kind: str) -> importlib.metadata.EntryPoints:
    return importlib.metadata.entry_points(group=f"agentkernelarena.{kind}")
