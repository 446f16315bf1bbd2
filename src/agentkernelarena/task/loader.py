"""From operator folders to tasks. Finding tasks reads file names only; loading one executes its `operator.py`."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import ModuleType

from agentkernelarena import plugin
from agentkernelarena.errors import InputError, nearest
from agentkernelarena.task.category import Category
from agentkernelarena.task.operator import Operator
from agentkernelarena.task.task import Mathematics, Task
from agentkernelarena.task.validation import check_declaration

FUNCTIONS = ("make_inputs", "reference", "work")


def suite_root() -> Path:
    """The folder of operator families: $AKA_SUITE, the suite inside the installed package, or the checkout's."""
    if override := os.environ.get("AKA_SUITE"):
        root = Path(override)
        if not root.is_dir():
            raise InputError("AKA_SUITE", f"{override} is not a folder", "point it at a suite, or unset it")
        return root
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_suite", package.parents[1] / "suite"):
        if root.is_dir():
            return root
    raise InputError("suite", "no suite found beside the package", "set AKA_SUITE to the folder of operator families")


@cache
def categories() -> dict[str, Category]:
    """Every registered category by name."""
    return {name: plugin.load("task.category", name).CATEGORY for name in plugin.names("task.category")}


def operator_folders(root: Path | None = None) -> dict[str, Path]:
    """Operator name -> folder, for every `<family>/<operator>/operator.py` under the suite."""
    root = root or suite_root()
    found: dict[str, Path] = {}
    for file in sorted(root.glob("*/*/operator.py")):
        name = file.parent.name
        if name in found:
            raise InputError(
                str(file.parent), f"operator {name!r} exists in {found[name].parent.name} too", "rename it"
            )
        found[name] = file.parent
    return found


def task_ids(root: Path | None = None) -> list[str]:
    """Ids of all tasks, `category/operator`, sorted; from file names alone, so this is quick."""
    folders = operator_folders(root)
    return sorted(
        f"{category.name}/{name}"
        for category in categories().values()
        for name, folder in folders.items()
        if all((folder / file).is_file() for file in category.requires)
    )


def title_of(folder: Path) -> str:
    """First line of the operator file's docstring, read without executing it."""
    tree = ast.parse((folder / "operator.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")


def load_task(task_id: str, root: Path | None = None) -> Task:
    """Load one task by id.

    Raises:
        InputError: the id is malformed or unknown, or the operator's declaration is wrong (file, field, remedy).
    """
    category_name, _, operator_name = task_id.partition("/")
    if not operator_name:
        raise InputError(f"task {task_id!r}", "is not of the form category/operator", "see `aka task list`")
    known = categories()
    if category_name not in known:
        raise InputError(f"task {task_id!r}", f"no category {category_name!r}", nearest(category_name, list(known)))
    folders = operator_folders(root)
    if operator_name not in folders:
        raise InputError(f"task {task_id!r}", f"no operator {operator_name!r}", nearest(operator_name, list(folders)))
    return load_folder(folders[operator_name], known[category_name])


def load_folder(folder: Path, category: Category) -> Task:
    """Load the task of `category` that `folder` gives; raise `InputError` for a missing file or a bad declaration."""
    task_id = f"{category.name}/{folder.name}"
    for file in category.requires:
        if not (folder / file).is_file():
            raise InputError(f"{folder}", f"{task_id} needs {file}, which is missing", f"add {folder.name}/{file}")
    operator, mathematics = load_declaration(folder.resolve())
    task = Task(task_id, category.name, folder.name, folder.resolve(), operator, mathematics)
    check_declaration(task)
    check_entry_point(folder / category.baseline, category.baseline_language)
    return task


@cache
def load_declaration(folder: Path) -> tuple[Operator, Mathematics]:
    """Execute `folder/operator.py` and return its declaration and functions; not yet checked against each other."""
    file = folder / "operator.py"
    module = _execute(file)
    operator = getattr(module, "OPERATOR", None)
    if not isinstance(operator, Operator):
        raise InputError(f"{file}", "does not assign an Operator to OPERATOR", "write OPERATOR = Operator(...)")
    for name in FUNCTIONS:
        if not callable(getattr(module, name, None)):
            raise InputError(f"{file}: {name}", "is not defined", f"define {name}; see docs/suite.md")
    return operator, Mathematics(module.make_inputs, module.reference, module.work)


def _execute(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"agentkernelarena_suite.{file.parent.name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except TypeError as error:
        if match := re.search(r"unexpected keyword argument '(\w+)'", str(error)):
            known = [f.name for f in fields(Operator)]
            raise InputError(f"{file}: {match[1]}", "is no field", nearest(match[1], known)) from error
        raise InputError(f"{file}", str(error), "see docs/suite.md for the declaration") from error
    except Exception as error:
        line = error.__traceback__.tb_next.tb_lineno if error.__traceback__ and error.__traceback__.tb_next else 0
        raise InputError(
            f"{file}:{line}", f"{type(error).__name__}: {error}", "the file has to import cleanly"
        ) from error
    finally:
        sys.dont_write_bytecode = bytecode
    return module


_LAUNCH = {
    "hip": re.compile(r'extern\s+"C"\s+(?:\{.*?)?\w[\w\s]*\blaunch\s*\(', re.DOTALL),
    "triton": re.compile(r"^def launch\(", re.MULTILINE),
}


def check_entry_point(file: Path, language: str) -> None:
    """Raise `InputError` when a baseline's source lacks its `launch`; a quick look at text, not a compile gate."""
    pattern = _LAUNCH.get(language)
    if pattern and not pattern.search(file.read_text(encoding="utf-8")):
        what = 'extern "C" void launch(...)' if language == "hip" else "def launch(...)"
        raise InputError(f"{file}", "has no entry point", f"define {what} with the prototype of `aka task show`")
