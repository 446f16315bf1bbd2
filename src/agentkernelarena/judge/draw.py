"""The values of one call: drawn by the judge, known to nobody else until they lie in the buffers."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.draw import Draw
from agentkernelarena.task.operator import Family
from agentkernelarena.task.task import Task
from agentkernelarena.task.validation import check_drawn

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Case:
    """Arguments of one call by name. `label` names family and number, never the seed."""

    label: str
    seed: int
    values: Mapping[str, Any]

    @property
    def scalars(self) -> dict[str, float | int]:
        return {n: v for n, v in self.values.items() if isinstance(v, int | float)}

    def perturbed(self, unit: float) -> dict[str, Any]:
        """The same values, every floating-point one moved by plus or minus one relative `unit`, in float64."""
        import torch

        out: dict[str, Any] = {}
        for index, (name, value) in enumerate(self.values.items()):
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                out[name] = _moved(value, unit, self.seed + index)
            else:
                out[name] = value
        return out


def _moved(value: torch.Tensor, unit: float, seed: int) -> torch.Tensor:
    import torch

    generator = torch.Generator(device=value.device)
    generator.manual_seed(seed & (2**63 - 1))
    # In float64: an integer sign times a Python float would become float32, where 1 + 2**-24 is 1.
    sign = torch.randint(0, 2, value.shape, generator=generator, device=value.device).to(torch.float64).mul_(2).sub_(1)
    return value.to(torch.float64) * (1.0 + unit * sign)


class Source:
    """Draws cases for one task from secret seed material; the n-th case of a purpose is a keyed hash away."""

    def __init__(self, task: Task, seed: bytes, device: str) -> None:
        self._task, self._seed, self._device = task, seed, device
        self._count = 0
        self._turn: int | None = None

    def turn(self, step: int) -> int:
        """A number that begins anywhere and grows by `step` with each call: for taking turns among a few things."""
        if self._turn is None:
            self._turn = self.number("turn")
        turn, self._turn = self._turn, self._turn + step
        return turn

    def number(self, purpose: str) -> int:
        """A 63-bit number that depends on the seed, the purpose and how often this was called."""
        self._count += 1
        key = f"{purpose}/{self._count}".encode()
        return int.from_bytes(hashlib.blake2b(key, key=self._seed[:64], digest_size=8).digest(), "big") >> 1

    def case(self, cfg: Configuration, family: Family) -> Case:
        """Fresh values at `cfg`; scalars are rounded to their declared type, as the kernel gets them."""
        seed = self.number(f"values/{cfg.digest}")
        values = dict(self._task.mathematics.make_inputs(cfg, Draw(seed, self._device, family)))
        check_drawn(self._task, cfg, values)
        for spec in self._task.inputs(cfg):
            if spec.name in self._task.scalar_names():
                value = values[spec.name]
                rounded = struct.unpack("f", struct.pack("f", value))[0] if spec.dtype.name == "float32" else value
                values[spec.name] = rounded if spec.dtype.is_float else int(value)
        return Case(f"{family.value} #{self._count}", seed, values)
