"""TASK.md: what is asked, in words, from the task, the target's facts and the budget; the same for every agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.errors import InputError
from agentkernelarena.record import Budget
from agentkernelarena.result import DeviceFacts
from agentkernelarena.submission import SOURCE_SUFFIXES
from agentkernelarena.task import abi
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.category import Category, LibraryPolicy
from agentkernelarena.task.operator import Rule
from agentkernelarena.task.task import Task

TEMPLATES = Path(__file__).parent / "template"

_LIBRARIES = {
    LibraryPolicy.ALLOWED: "Vendor libraries and torch operators may be called.",
    LibraryPolicy.REPORTED: "Vendor libraries and torch operators may be called; it is reported when they do the work.",
    LibraryPolicy.FORBIDDEN: "The work is done by kernels of your own: no vendor libraries, no torch operators.",
}


@dataclass(frozen=True)
class Row:
    """One line of the table of configurations."""

    name: str
    values: tuple[str, ...]


def task_text(task: Task, category: Category, facts: DeviceFacts, budget: Budget, seen: Mapping[str, Configuration],
              template: Path | None = None, guidance: str | None = None) -> str:
    """Text of TASK.md.

    template: a Jinja file in place of the built-in one. guidance: text in place of the category's notes ("" for none).

    Raises:
        InputError: the template cannot be read or is not valid.
    """
    import jinja2

    path = template or TEMPLATES / "task.md.j2"
    try:
        source = path.read_text(encoding="utf-8")
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False)
        text = environment.from_string(source).render(
            task=task, category=category, goal="improve" if category.start else "port", purpose=_purpose(task),
            baseline=_baseline(category), suffixes=", ".join(_suffixes(category)), prototype=_prototype(task, category),
            arguments=abi.describe(task), constraint=task.operator.constraint, dtype_axes=_dtype_axes(task),
            libraries=_LIBRARIES[category.libraries], axes=list(task.operator.axes), configurations=_rows(task, seen),
            atomic=any(t.rule is Rule.CLOSE for t in task.outputs(task.smoke)), target=target_lines(facts),
            limits=budget_lines(budget), guidance=_guidance(category) if guidance is None else guidance)
    except (OSError, jinja2.TemplateError) as error:
        raise InputError(str(path), str(error), "see docs/agents.md for what a template can use") from error
    return text.rstrip() + "\n"


def _purpose(task: Task) -> str:
    """What the operator is and where it is used: the operator file's own words."""
    import ast
    import inspect

    words = ast.get_docstring(ast.parse((task.folder / "operator.py").read_text(encoding="utf-8"))) or ""
    return inspect.cleandoc(words)


def _baseline(category: Category) -> str:
    if category.baseline_language == "torch":
        return "the PyTorch reference in `reference.py`, run on the same device"
    return f"the `{category.baseline}` that you start from"


def _suffixes(category: Category) -> list[str]:
    wanted = {"hip": (".h", ".hpp", ".hip", ".cuh"), "triton": (".py",)}.get(category.language, tuple(SOURCE_SUFFIXES))
    return [s for s in wanted if s in SOURCE_SUFFIXES]


def _prototype(task: Task, category: Category) -> str:
    return abi.prototype(task) + ";" if category.language == "hip" else abi.signature(task)


def _dtype_axes(task: Task) -> str:
    if not task.dtype_axes:
        return "none."
    return "; ".join(f"`{a}` is one of {task.operator.axes[a].describe()}" for a in task.dtype_axes) + "."


def _rows(task: Task, seen: Mapping[str, Configuration]) -> list[Row]:
    return [Row(name, tuple(str(cfg[axis]) for axis in task.operator.axes)) for name, cfg in seen.items()]


def _guidance(category: Category) -> str:
    path = TEMPLATES / f"{category.name}.md"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def target_lines(facts: DeviceFacts) -> list[str]:
    """What an agent may know of the target, one fact a line; what the target cannot tell is left out."""
    lines = [f"{facts.target}: {facts.name}" + (f" ({facts.architecture})" if facts.architecture else "")]
    pairs = (
        ("compute units", facts.compute_units), ("wavefront", facts.wavefront),
        ("shared memory per group", f"{facts.shared_bytes // 1024} KiB" if facts.shared_bytes else None),
        ("last-level cache", f"{facts.cache_mib:g} MiB" if facts.cache_mib else None),
        ("device memory", f"{facts.memory_mib} MiB" if facts.memory_mib else None),
        ("measured copy bandwidth", f"{facts.copy_gb_per_s:.0f} GB/s" if facts.copy_gb_per_s else None),
        ("runtime", facts.runtime or None),
    )
    lines += [f"{name}: {value}" for name, value in pairs if value is not None]
    lines += [f"measured peak rate, {name}: {rate:.1f} TFLOP/s" for name, rate in facts.rates_tflops.items()]
    return lines + list(facts.notes)


def budget_lines(budget: Budget) -> list[str]:
    """The limits of the agent's part, in words."""
    lines = [f"{_duration(budget.wall_s)} of wall time"]
    lines += [f"{budget.turns} turns"] if budget.turns else []
    lines += [f"{budget.tokens} tokens"] if budget.tokens else []
    lines += [f"{budget.cost_usd:g} US dollars"] if budget.cost_usd else []
    return lines


def _duration(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 120 else f"{seconds:g} s"
