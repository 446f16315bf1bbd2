"""The source of every input value: operators say what they need, the judge decides what they get.

A `Draw` is made by the judge from a seed that never leaves it, on the device where the buffers live, in one of the
value families of `Family`. The same seed, family and device give the same values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from agentkernelarena.task.dtype import dtype_named
from agentkernelarena.task.operator import Family

if TYPE_CHECKING:
    import torch

# Half formats overflow soon: the exponents of the wide family stay where squares and short sums are finite.
_WIDE_EXPONENT = 6


class Draw:
    """Draws tensors and scalars. Every method advances one generator, so the order of calls matters."""

    def __init__(self, seed: int, device: str = "cpu", family: Family = Family.NORMAL) -> None:
        import torch

        self.family = family
        self.device = device
        self._torch = torch
        self._generator = torch.Generator(device=device)
        self._generator.manual_seed(seed & (2**63 - 1))

    def values(self, *shape: int, dtype: str, scale: float = 1.0) -> torch.Tensor:
        """Floating-point activations of `shape`, in the judge's value family, times `scale`, rounded to `dtype`."""
        z = self._normal(shape)
        match self.family:
            case Family.POSITIVE:
                z = z.abs_()
            case Family.WIDE:
                exponent = self._torch.randint(
                    -_WIDE_EXPONENT, _WIDE_EXPONENT + 1, shape, generator=self._generator, device=self.device
                )
                z = self._torch.ldexp(z, exponent)
            case Family.HEAVY:
                z = z * z * z
            case Family.CLUSTERED:
                z = z.mul_(0.125).add_(8.0)
            case Family.SMALL:
                z = z.mul_(2.0**-10)
            case Family.TIES:
                z = (z * 2).round_().mul_(0.5)
        return self._cast(z.mul_(scale), dtype)

    def normal(self, *shape: int, dtype: str, mean: float = 0.0, std: float = 1.0) -> torch.Tensor:
        """Normal values whatever the family: weights, biases and gains, never trivial ones (not all 0 or 1)."""
        return self._cast(self._normal(shape).mul_(std).add_(mean), dtype)

    def uniform(self, *shape: int, dtype: str, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        """Uniform values in [low, high), rounded to `dtype`."""
        u = self._torch.rand(shape, generator=self._generator, device=self.device, dtype=self._torch.float32)
        return self._cast(u.mul_(high - low).add_(low), dtype)

    def integers(self, *shape: int, low: int, high: int, dtype: str = "int32") -> torch.Tensor:
        """Uniform integers in [low, high)."""
        out = self._torch.randint(low, high, shape, generator=self._generator, device=self.device)
        return self._cast(out, dtype)

    def permutation(self, count: int, dtype: str = "int32") -> torch.Tensor:
        """A random permutation of 0 to count - 1."""
        out = self._torch.randperm(count, generator=self._generator, device=self.device)
        return self._cast(out, dtype)

    def offsets(self, segments: int, total: int, dtype: str = "int32", skew: float = 1.0) -> torch.Tensor:
        """Segment boundaries of shape (segments + 1,), from 0 to `total`; lengths vary, empty segments occur.

        `skew` 0 makes all lengths (nearly) equal, 1 is a random cut, larger makes few segments long.
        """
        torch = self._torch
        u = torch.rand(segments, generator=self._generator, device=self.device, dtype=torch.float64)
        weight = (-torch.log1p(-u)).pow(skew)
        cut = torch.cumsum(weight, 0) / weight.sum().clamp_min(1e-300)
        inner = (cut * total).round().clamp_(0, total)
        inner[-1] = total
        return self._cast(torch.cat([torch.zeros(1, device=self.device, dtype=torch.float64), inner]), dtype)

    def scalar(self, low: float, high: float) -> float:
        """One number in [low, high), evenly in the logarithm where both are positive."""
        u = float(self._torch.rand((), generator=self._generator, device=self.device))
        if low > 0:
            return math.exp(math.log(low) + u * (math.log(high) - math.log(low)))
        return low + u * (high - low)

    def _normal(self, shape: tuple[int, ...]) -> torch.Tensor:
        return self._torch.randn(shape, generator=self._generator, device=self.device, dtype=self._torch.float32)

    def _cast(self, tensor: torch.Tensor, dtype: str) -> torch.Tensor:
        return tensor.to(getattr(self._torch, dtype_named(dtype, "draw").torch_name))
