"""Raw device memory as torch tensors, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


class _Memory:
    """The `__cuda_array_interface__` (version 3) of an address; PyTorch for ROCm takes it too."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


def tensor_at(address: int, size: int) -> torch.Tensor:
    """`size` bytes of device memory at `address` as a uint8 tensor; the caller keeps the memory alive."""
    import torch

    return torch.as_tensor(_Memory(address, size), device="cuda")
