"""AMD GPUs through ROCm: hipcc or amdclang++, Triton kernels as they are, PyTorch for ROCm's `torch.cuda`.

The path is NVIDIA's, through PyTorch's device API and the HIP runtime. It has not been run on AMD hardware; what has
been run anywhere is the compile gate (`amd:gfx942` and others, on machines without a GPU).
"""

from __future__ import annotations

from agentkernelarena.errors import InputError, nearest
from agentkernelarena.target._gpu import GpuTarget
from agentkernelarena.toolchain import Toolchain
from agentkernelarena.toolchain.hip_amd import ARCHITECTURES, HipAmd
from agentkernelarena.toolchain.triton_gpu import TritonGpu


class AmdTarget(GpuTarget):
    """``amd:gfx942`` and others."""

    def toolchain(self, language: str) -> Toolchain:
        return HipAmd(self.architecture) if language == "hip" else TritonGpu("hip", self.architecture)


def present() -> bool:
    """Whether PyTorch for ROCm sees a device here."""
    try:
        import torch
    except ImportError:
        return False
    return getattr(torch.version, "hip", None) is not None and torch.cuda.is_available()


def target(architecture: str) -> AmdTarget:
    """The device that is present, or a compile-only target for another architecture."""
    if architecture and architecture not in ARCHITECTURES:
        raise InputError(
            f"target amd:{architecture}", "there is no such architecture", nearest(architecture, list(ARCHITECTURES))
        )
    if not present():
        if not architecture:
            raise InputError(
                "target amd",
                "there is no ROCm device here",
                "name an architecture to compile for, such as amd:gfx942, or use --target cpu",
            )
        return AmdTarget("amd", "hip", architecture, compile_only=True)
    import torch

    here = str(torch.cuda.get_device_properties(0).gcnArchName).partition(":")[0]
    return AmdTarget("amd", "hip", architecture or here, compile_only=bool(architecture) and architecture != here)
