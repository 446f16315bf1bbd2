"""Comparison of outputs with a float64 reference, element by element.

The error that an element may have follows from two roundoffs: of the output's dtype, u_out, and of the declared
accumulation, u_acc (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 2 to 4):

    bound_i = K_OUT * u_out * |ref_i| + k_acc * u_acc * magnitude_i

magnitude_i is the larger of |ref_i| and the root mean square of its row of (a) the reference and (b) its sensitivity:
the change of the float64 reference when every input moves by one relative unit of u_acc (so cancellation is allowed
for where the problem has it, and only there).

k_acc is `bound_factor` times the largest k_acc that the baseline itself needs on the same values, but at least
GROWTH * sqrt(n) for n operations per output element, which is what summing one after the other costs (ibid., section
4.2), and at most MAXIMUM_K. A baseline may round once more on the way, so it is allowed 2 u_out * magnitude. There is
no quota of free mismatches; NaN and infinities have to match exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentkernelarena.judge.draw import Case
from agentkernelarena.result import Mismatch
from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.dtype import DTYPES
from agentkernelarena.task.operator import Rule
from agentkernelarena.task.reference import name_outputs, reference_axes
from agentkernelarena.task.task import Task, TensorSpec

if TYPE_CHECKING:
    import torch

K_OUT = 2.0
MINIMUM_K = 24.0
GROWTH = 6.0
MAXIMUM_K = 4096.0


@dataclass(frozen=True)
class Expected:
    """What one output should be: `value` in float64 (or its own integer dtype), `magnitude` in float64."""

    spec: TensorSpec
    value: torch.Tensor
    magnitude: torch.Tensor | None
    u_acc: float


@dataclass(frozen=True)
class Comparison:
    """Largest error over bound (inf for a non-finite mismatch), the k_acc that would just suffice, first mismatch."""

    error_ratio: float
    needed_k: float
    mismatch: Mismatch | None


def evaluate_reference(task: Task, cfg: Configuration, values: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Call the reference in float64 on `values` (floating tensors are widened; in-out tensors are copies)."""
    import torch

    arguments: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, torch.Tensor):
            arguments[name] = value.to(torch.float64) if value.is_floating_point() else value.clone()
        else:
            arguments[name] = value
    arguments.update({axis: cfg[axis] for axis in reference_axes(task.mathematics.reference, task.operator)})
    with torch.no_grad():
        return name_outputs(task.operator, task.mathematics.reference(**arguments))


def expect(
    task: Task, cfg: Configuration, case: Case, sensitivity: Mapping[str, float] | None = None
) -> dict[str, Expected]:
    """Compute what each output should be for the values of `case`.

    sensitivity: for each output the ratio of sensitivity to reference measured before at this configuration; None
    measures it element by element, which costs a second evaluation of the reference.
    """
    import torch

    u_acc = DTYPES[task.operator.accumulation].roundoff
    values = evaluate_reference(task, cfg, case.values)
    floats = [s for s in task.outputs(cfg) if s.rule is Rule.CLOSE]
    moved: dict[str, torch.Tensor] = {}
    if floats and sensitivity is None:
        moved = evaluate_reference(task, cfg, case.perturbed(u_acc))
    expected = {}
    for spec in task.outputs(cfg):
        value = values[spec.name].reshape(spec.shape)
        magnitude = None
        if spec.rule is Rule.CLOSE:
            value = value.to(torch.float64)
            change = None
            if sensitivity is None:
                change = (moved[spec.name].reshape(spec.shape).to(torch.float64) - value).abs_().div_(u_acc)
            magnitude = _magnitude(value, change, 1.0 if sensitivity is None else sensitivity[spec.name])
        expected[spec.name] = Expected(spec, value, magnitude, u_acc)
    return expected


def sensitivity_ratio(expected: Mapping[str, Expected]) -> dict[str, float]:
    """For `expect`: how much larger than the reference's own row scale the magnitude is, per output, at most."""
    ratios = {}
    for name, item in expected.items():
        if item.magnitude is not None and item.value.numel():
            own = _magnitude(item.value, None, 1.0)
            ratio = (item.magnitude / own).nan_to_num_(1.0, 1.0, 1.0)
            ratios[name] = max(1.0, float(ratio.max()))
        else:
            ratios[name] = 1.0
    return ratios


def _magnitude(value: torch.Tensor, change: torch.Tensor | None, factor: float) -> torch.Tensor:
    magnitude = value.abs().nan_to_num_(0.0, 0.0, 0.0)
    rows = _row_rms(magnitude) * factor
    if change is not None:
        rows = rows.maximum(_row_rms(change.nan_to_num_(0.0, 0.0, 0.0)))
    return magnitude.maximum(rows)


def _row_rms(value: torch.Tensor) -> torch.Tensor:
    """Root mean square over the last axis (over everything where that axis says nothing), broadcastable."""
    if value.numel() == 0:
        return value
    if value.dim() >= 2 and value.shape[-1] > 1:
        return value.square().mean(dim=-1, keepdim=True).sqrt_()
    return value.square().mean().sqrt_()


def compare(output: torch.Tensor, item: Expected, k_acc: float, draw: str) -> Comparison:
    """Compare one output, on the device where it lies."""
    import torch

    if output.numel() == 0:
        return Comparison(0.0, 0.0, None)
    if item.spec.rule is Rule.EXACT:
        wanted = item.value.to(output.dtype)
        wrong = output != wanted
        if output.is_floating_point():
            wrong &= ~(output.isnan() & wanted.isnan())
        zero = torch.zeros((), dtype=torch.float64, device=output.device)
        return _verdict(
            output,
            wanted,
            wrong,
            wrong.to(torch.float64) * math.inf if bool(wrong.any()) else zero,
            zero,
            0.0,
            draw,
            item,
        )
    assert item.magnitude is not None
    wanted = item.value
    rounded = wanted.to(output.dtype)
    got = output.to(torch.float64)
    u_out = item.spec.dtype.roundoff
    finite = wanted.abs() * u_out * K_OUT
    scale = item.magnitude * item.u_acc + torch.finfo(output.dtype).smallest_normal * u_out
    bound = finite + k_acc * scale
    error = (got - wanted).abs_()
    special = ~torch.isfinite(rounded)
    # Close to the overflow threshold both the infinity and the largest finite value are right.
    limit = torch.finfo(output.dtype).max
    overflow = special & torch.isfinite(wanted) & (wanted.abs() - bound <= limit)
    same_special = (rounded.isnan() & got.isnan()) | (rounded.to(torch.float64) == got)
    near_limit = (got.abs() == limit) | got.isinf()
    fine_special = same_special | (overflow & near_limit & (got.sign() == wanted.sign()))
    wrong = torch.where(special, ~fine_special, ~(error <= bound))
    ratio = torch.where(special, torch.where(fine_special, 0.0, math.inf), error / bound).nan_to_num_(
        math.inf, math.inf
    )
    excess = torch.where(special, torch.zeros_like(error), (error - finite).clamp_min_(0.0) / scale)
    needed = float(excess.nan_to_num_(math.inf, math.inf).max())
    return _verdict(output, wanted, wrong, ratio, bound, needed, draw, item)


def _verdict(
    output: torch.Tensor,
    wanted: torch.Tensor,
    wrong: torch.Tensor,
    ratio: torch.Tensor,
    bound: torch.Tensor,
    needed: float,
    draw: str,
    item: Expected,
) -> Comparison:
    count = int(wrong.sum())
    worst = float(ratio.max()) if ratio.numel() else 0.0
    if count == 0:
        return Comparison(worst, needed, None)
    flat = ratio.expand(output.shape).reshape(-1).masked_fill(~wrong.reshape(-1), -1.0).argmax().item()
    at = int(flat)
    index, rest = [], at
    for extent in reversed(output.shape):
        index.append(rest % extent)
        rest //= extent
    allowed = float(bound.expand(output.shape).reshape(-1)[at]) if bound.numel() > 1 else float(bound)
    return Comparison(
        worst,
        needed,
        Mismatch(
            output=item.spec.name,
            index=tuple(reversed(index)),
            value=_number(output.reshape(-1)[at].item()),
            expected=_number(wanted.reshape(-1)[at].item()),
            bound=allowed,
            draw=draw,
            wrong_elements=count,
            elements=output.numel(),
        ),
    )


def _number(value: float | int | bool) -> float | int | str:
    """Finite numbers as they are; NaN and infinities as text, because JSON has none."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def minimum_k(task: Task, cfg: Configuration) -> float:
    """The k_acc that every submission is allowed at `cfg`, whatever the baseline needs."""
    outputs = sum(spec.elements for spec in task.outputs(cfg))
    terms = task.mathematics.work(cfg).operations / (2 * max(1, outputs))
    return min(MAXIMUM_K, max(MINIMUM_K, GROWTH * math.sqrt(terms)))


def baseline_k(task: Task, cfg: Configuration) -> float:
    """The k_acc that a baseline is allowed at `cfg`: room for one more rounding to the output's dtype."""
    u_acc = DTYPES[task.operator.accumulation].roundoff
    u_out = max(spec.dtype.roundoff for spec in task.outputs(cfg))
    return max(MAXIMUM_K, K_OUT * u_out / u_acc)


def calibrate(needed: float, factor: float, minimum: float = MINIMUM_K) -> float:
    """k_acc for a submission, from what the baseline needed (never less than that)."""
    if not math.isfinite(needed):
        return MAXIMUM_K
    return min(max(MAXIMUM_K, needed), max(minimum, factor * needed))
