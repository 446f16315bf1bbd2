"""Null candidates: outputs that are wrong by construction, and that a sound checker must reject for every task.

Each generator makes outputs from what the judge holds anyway (the case, the right outputs, another case's outputs);
they go through the very comparison that submissions go through, with the bound that the baseline calibrates. A task
whose checker lets one of them pass measures nothing, and `aka task validate` refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentkernelarena.judge.compare import Expected, compare, evaluate_reference
from agentkernelarena.judge.draw import Case
from agentkernelarena.result import Record
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.task import Task

if TYPE_CHECKING:
    import torch

Outputs = Mapping[str, "torch.Tensor"]


@dataclass(frozen=True)
class Situation:
    """One draw with its right outputs (in the output dtypes), and those of another draw."""

    task: Task
    cfg: Configuration
    case: Case
    expected: Mapping[str, Expected]
    right: Outputs
    other: Outputs


class NullResult(Record):
    """Whether the checker rejected a candidate at some draw; `exempt` says why it need not (it is right by nature)."""

    name: str
    rejected: bool
    exempt: str = ""


Generator = Callable[[Situation], Outputs | None]


def _each(make: Callable[[torch.Tensor, Situation], torch.Tensor | None]) -> Generator:
    """Lift a function of one right output to all outputs; None anywhere means that the candidate does not apply."""

    def generate(situation: Situation) -> Outputs | None:
        made = {name: make(value, situation) for name, value in situation.right.items()}
        if any(v is None for v in made.values()):
            return None
        return {name: v for name, v in made.items() if v is not None}

    return generate


def _zeros(right: torch.Tensor, _: Situation) -> torch.Tensor:
    return right.new_zeros(right.shape)


def _ones(right: torch.Tensor, _: Situation) -> torch.Tensor:
    return right.new_ones(right.shape)


def _mean(right: torch.Tensor, _: Situation) -> torch.Tensor:
    import torch

    return torch.full_like(right, right.to(torch.float64).nan_to_num(0.0, 0.0, 0.0).mean().item())


def _input(right: torch.Tensor, situation: Situation) -> torch.Tensor | None:
    """The first input of the output's shape, as it is."""
    import torch

    for value in situation.case.values.values():
        if isinstance(value, torch.Tensor) and value.shape == right.shape:
            return value.to(right.dtype)
    return None


def _poison(right: torch.Tensor, _: Situation) -> torch.Tensor:
    import torch

    return torch.full_like(right, float("nan")) if right.is_floating_point() else torch.full_like(right, 85)


def _first_row(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    return right[:1].expand(right.shape).contiguous() if right.dim() and right.shape[0] > 1 else None


def _last_dropped(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    """The last element along the first axis left as it was: a tile forgotten at the edge."""
    if not right.dim() or right.shape[0] < 2:
        return None
    out = right.clone()
    out[-1:] = 0
    return out


def _tail_dropped(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    """The last element along the last axis left as it was: an odd width forgotten."""
    if not right.dim() or right.shape[-1] < 2:
        return None
    out = right.clone()
    out[..., -1:] = 0
    return out


def _shifted(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    return right.reshape(-1).roll(1).reshape(right.shape) if right.numel() > 1 else None


def _scaled(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    return right * 1.05 if right.is_floating_point() else None


def _negated(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    return -right if right.is_floating_point() else None


def _narrowed(right: torch.Tensor, _: Situation) -> torch.Tensor | None:
    """Computed in the next narrower format: the right result rounded to it."""
    import torch

    narrower = {torch.float64: torch.float32, torch.float32: torch.bfloat16, torch.float16: torch.float8_e4m3fn,
                torch.bfloat16: torch.float8_e5m2}.get(right.dtype)  # fmt: skip
    return right.to(narrower).to(right.dtype) if narrower is not None else None


def _other(situation: Situation) -> Outputs:
    return situation.other


def _half_precision_inputs(situation: Situation) -> Outputs | None:
    """A float32 task done on float16 or bfloat16 inputs (also what TF32 and careless casts amount to)."""
    import torch

    wide = {n: v for n, v in situation.case.values.items() if isinstance(v, torch.Tensor) and v.dtype == torch.float32}
    if not wide or all(v.dtype != torch.float32 for v in situation.right.values()):
        return None
    return _recomputed(situation, {n: v.to(torch.bfloat16).to(torch.float32) for n, v in wide.items()})


def _without(name: str) -> Generator:
    """The reference with one argument replaced by zero: a mask, bias, weight or eps that was forgotten."""

    def generate(situation: Situation) -> Outputs | None:
        import torch

        value = situation.case.values[name]
        nothing = torch.zeros_like(value) if isinstance(value, torch.Tensor) else type(value)(0)
        return _recomputed(situation, {name: nothing})

    return generate


def _recomputed(situation: Situation, changed: Mapping[str, object]) -> Outputs | None:
    try:
        values = evaluate_reference(situation.task, situation.cfg, {**situation.case.values, **changed})
    except Exception:  # an operator need not be defined on such values
        return None
    return _rounded(situation.expected, values)


def _rounded(expected: Mapping[str, Expected], values: Mapping[str, torch.Tensor]) -> Outputs:
    import torch

    out = {}
    for name, item in expected.items():
        dtype = getattr(torch, item.spec.dtype.torch_name)
        out[name] = values[name].reshape(item.spec.shape).to(dtype)
    return out


GENERATORS: dict[str, Generator] = {
    "zeros": _each(_zeros),
    "ones": _each(_ones),
    "mean": _each(_mean),
    "an input": _each(_input),
    "poison left": _each(_poison),
    "another draw's answer": _other,
    "first row everywhere": _each(_first_row),
    "last row dropped": _each(_last_dropped),
    "last column dropped": _each(_tail_dropped),
    "shifted by one": _each(_shifted),
    "scaled by 1.05": _each(_scaled),
    "negated": _each(_negated),
    "rounded to a narrower type": _each(_narrowed),
    "inputs in half precision": _half_precision_inputs,
}


def generators(task: Task) -> Iterator[tuple[str, Generator]]:
    """Every generator that makes sense for `task`: the common ones, and one for each argument left out."""
    yield from GENERATORS.items()
    for name in task.operator.inputs:
        yield f"{name} dropped", _without(name)


def situation(task: Task, cfg: Configuration, case: Case, expected: Mapping[str, Expected], other: Case) -> Situation:
    """Collect what the generators work from."""
    right = _rounded(expected, {n: e.value for n, e in expected.items()})
    stale = _rounded(expected, evaluate_reference(task, cfg, other.values))
    return Situation(task, cfg, case, expected, right, stale)


def run(task: Task, situations: list[Situation], k_acc: float) -> list[NullResult]:
    """Try every generator on every situation. A candidate counts as rejected when some situation rejects it."""
    results = []
    for name, generate in generators(task):
        rejected, applied, same = False, False, True
        for where in situations:
            made = generate(where)
            if made is None:
                continue
            applied = True
            same &= _equal(made, where.right)
            rejected |= any(
                compare(made[n], item, k_acc, where.case.label).mismatch is not None
                for n, item in where.expected.items()
            )
        if not applied:
            continue
        exempt = "gives the right answer bit by bit" if same else ""
        results.append(NullResult(name=name, rejected=rejected, exempt=exempt))
    return results


def _equal(a: Outputs, b: Outputs) -> bool:
    import torch

    return all(torch.equal(a[n].view(torch.uint8), b[n].view(torch.uint8)) for n in b)
