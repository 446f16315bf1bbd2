"""Buffers between judge and worker: one arena, sets of arguments in it, guard bands, poison and fingerprints.

Every buffer lies between two guard bands filled with 0xFF (a NaN in every floating-point type), so a read past its
end poisons the result and a write past its end is seen. Base pointers are 16-byte aligned and, from set to set, no
more than that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentkernelarena.task.axis import Configuration
from agentkernelarena.task.task import ScalarSpec, Task, TensorSpec

if TYPE_CHECKING:
    import torch

    from agentkernelarena.judge.wire import Json
    from agentkernelarena.target import Arena, Target

GUARD = 1024
_ALIGN = 256
_GUARD_BYTE = 0xFF
_SHIFTS = (0, 16, 48, 112, 32, 80)


@dataclass(frozen=True)
class Slot:
    """Where one tensor lies in the arena."""

    spec: TensorSpec
    offset: int
    output: bool


class Buffers:
    """`count` sets of one configuration's arguments in one arena of `target`."""

    def __init__(self, target: Target, task: Task, cfg: Configuration, count: int) -> None:
        self.task, self.cfg, self.target = task, cfg, target
        self.inputs = [s for s in task.inputs(cfg) if isinstance(s, TensorSpec)]
        self.outputs = list(task.outputs(cfg))
        self.sets: list[list[Slot]] = []
        end = 0
        for index in range(count):
            slots, end = self._place(end, _SHIFTS[index % len(_SHIFTS)])
            self.sets.append(slots)
        self.arena: Arena = target.arena(end + _ALIGN)
        self._bytes = self.arena.data()
        self._bytes.fill_(_GUARD_BYTE)
        self._views = [{slot.spec.name: self._view(slot) for slot in slots} for slots in self.sets]

    def _place(self, end: int, shift: int) -> tuple[list[Slot], int]:
        slots = []
        for spec, output in [*((s, False) for s in self.inputs), *((s, True) for s in self.outputs)]:
            offset = -(-(end + GUARD) // _ALIGN) * _ALIGN + shift
            slots.append(Slot(spec, offset, output))
            end = offset + spec.bytes + GUARD
        return slots, end

    def _view(self, slot: Slot) -> torch.Tensor:
        import torch

        raw = self._bytes[slot.offset : slot.offset + slot.spec.bytes]
        return raw.view(getattr(torch, slot.spec.dtype.torch_name)).view(slot.spec.shape)

    def fill(self, index: int, inputs: Mapping[str, object], poison: int) -> None:
        """Write fresh inputs into set `index` and poison its outputs (`poison` picks the pattern).

        In-out outputs receive their initial value instead of poison.
        """
        import torch

        for slot in self.sets[index]:
            view = self._views[index][slot.spec.name]
            value = inputs.get(slot.spec.name)
            if isinstance(value, torch.Tensor):
                view.copy_(value)
            else:
                _poison(view, slot.spec, poison)

    def wipe(self) -> None:
        """Leave nothing of what the last calls read and wrote, the other side's right answers above all."""
        self._bytes.fill_(_GUARD_BYTE)

    def results(self, index: int) -> dict[str, torch.Tensor]:
        """Private copies of the outputs of set `index`, taken at once."""
        return {s.spec.name: self._views[index][s.spec.name].clone() for s in self.sets[index] if s.output}

    def changed_inputs(self, index: int, inputs: Mapping[str, object]) -> list[str]:
        """Names of the inputs of set `index` that no longer hold the bytes of `inputs`."""
        import torch

        changed = []
        for slot in self.sets[index]:
            if slot.output:
                continue
            raw = self._bytes[slot.offset : slot.offset + slot.spec.bytes]
            original = inputs[slot.spec.name]
            assert isinstance(original, torch.Tensor)
            if not torch.equal(raw, original.contiguous().view(-1).view(torch.uint8)):
                changed.append(slot.spec.name)
        return changed

    def broken_guards(self, index: int) -> list[str]:
        """Where bytes beside a buffer of set `index` were written, such as ``y (after)``; the bands are mended."""
        import torch

        bands, labels = [], []
        for slot in self.sets[index]:
            end = slot.offset + slot.spec.bytes
            for label, start in (("before", slot.offset - GUARD), ("after", end)):
                bands.append(self._bytes[start : start + GUARD])
                labels.append(f"{slot.spec.name} ({label})")
        wrong = torch.stack(bands).ne(_GUARD_BYTE).any(dim=1)
        if not bool(wrong.any()):
            return []
        for band in bands:
            band.fill_(_GUARD_BYTE)
        return [label for label, bad in zip(labels, wrong.tolist(), strict=True) if bad]

    def describe(self, indices: Sequence[int]) -> list[Json]:
        """The sets as a worker's `bind` request wants them."""
        return [self._arguments(index) for index in indices]

    def _arguments(self, index: int) -> list[Json]:
        out: list[Json] = []
        slots = {slot.spec.name: slot for slot in self.sets[index]}
        for spec in (*self.task.inputs(self.cfg), *self.outputs):
            if isinstance(spec, ScalarSpec):
                out.append({"kind": "scalar", "name": spec.name, "dtype": spec.dtype.name})
            else:
                shape: list[Json] = list(spec.shape)
                out.append(
                    {
                        "kind": "tensor",
                        "name": spec.name,
                        "dtype": spec.dtype.name,
                        "shape": shape,
                        "offset": slots[spec.name].offset,
                        "bytes": spec.bytes,
                    }
                )
        out += [{"kind": "axis", "name": a, "value": int(self.cfg[a])} for a in self.task.integer_axes]
        return out

    def close(self) -> None:
        self._views = []
        self.arena.close()


def _poison(view: torch.Tensor, spec: TensorSpec, pattern: int) -> None:
    """Fill with something that is never right: NaN, large finite values, or stale-looking noise."""
    import torch

    kind = pattern % 3
    if spec.dtype.is_float:
        if kind == 2 and spec.dtype.size > 1 and view.numel():
            generator = torch.Generator(device=view.device)
            generator.manual_seed(pattern)
            noise = torch.randn(view.shape, generator=generator, device=view.device, dtype=torch.float32)
            view.copy_(noise.mul_(100.0).add_(3.0))
        else:
            view.fill_(math.nan if kind == 0 else 240.0 + pattern % 97)
    elif spec.dtype.name == "bool":
        view.copy_(((torch.arange(view.numel(), device=view.device) * 7 + pattern) % 3 == 0).view(view.shape))
    else:
        view.fill_((0x55, -77 if spec.dtype.name != "uint8" else 0xA5, 33 + pattern % 64)[kind])
