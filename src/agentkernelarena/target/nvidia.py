"""NVIDIA GPUs: HIP kernels through the project's own HIP-on-CUDA header and nvcc, Triton kernels as they are."""

from __future__ import annotations

from agentkernelarena.target._gpu import GpuTarget
from agentkernelarena.toolchain import Toolchain
from agentkernelarena.toolchain.hip_cuda import ARCHITECTURES, HipCuda
from agentkernelarena.toolchain.triton_gpu import TritonGpu


class NvidiaTarget(GpuTarget):
    """``nvidia:sm_90`` and others."""

    def toolchain(self, language: str) -> Toolchain:
        return HipCuda(self.architecture) if language == "hip" else TritonGpu("cuda", self.architecture)


def present() -> bool:
    """Whether PyTorch sees a CUDA device here."""
    try:
        import torch
    except ImportError:
        return False
    return torch.version.cuda is not None and torch.cuda.is_available()


def target(architecture: str) -> NvidiaTarget:
    """The device that is present, or a compile-only target for another architecture."""
    from agentkernelarena.errors import InputError, nearest

    if architecture and architecture not in ARCHITECTURES:
        raise InputError(
            f"target nvidia:{architecture}", "there is no such architecture", nearest(architecture, list(ARCHITECTURES))
        )
    if not present():
        if not architecture:
            raise InputError(
                "target nvidia",
                "there is no CUDA device here",
                "name an architecture to compile for, such as nvidia:sm_90, or use --target cpu",
            )
        return NvidiaTarget("nvidia", "cuda", architecture, compile_only=True)
    import torch

    major, minor = torch.cuda.get_device_capability(0)
    here = f"sm_{major}{minor}"
    return NvidiaTarget(
        "nvidia", "cuda", architecture or here, compile_only=bool(architecture) and architecture != here
    )
