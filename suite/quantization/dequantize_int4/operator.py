"""Dequantisation of packed 4-bit weights with a scale and zero point for each group (GPTQ; Frantar et al., 2022).

Serving engines expand a GPTQ or AWQ layer to half precision before a large matrix product when the batch is big enough
that a fused kernel does not pay. Eight weights of one column and consecutive rows share a 32-bit word (bits 4i to
4i + 3 hold row i), zero points are packed along columns, and w = (q - zero) * scale. A quarter of the traffic is read,
the rest written: the kernel has to turn one word into eight stores that are wide and coalesced, and unpacking plus
conversion takes more instructions than the memory leaves time for.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Dequantisation of packed int4 weights",
    family="quantization",
    axes={
        "groups": log_range(1, 1024),
        "group_size": choice(32, 64, 128),
        "cols": log_range(8, 65536, multiple_of=8),
        "dtype": choice("float16", "bfloat16", "float32"),
    },
    constraint="groups * group_size * cols <= 2**28",
    inputs={
        "packed": Tensor("groups * group_size // 8", "cols", dtype="int32"),
        "zeros": Tensor("groups", "cols // 8", dtype="int32"),
        "scales": Tensor("groups", "cols"),
    },
    outputs={"weight": Tensor("groups * group_size", "cols")},
    seen={
        "Llama-3 8B down projection": {"groups": 112, "group_size": 128, "cols": 4096, "dtype": "float16"},
        "Llama-2 70B gate projection": {"groups": 64, "group_size": 128, "cols": 28672, "dtype": "float16"},
        "Qwen2.5 7B attention output": {"groups": 28, "group_size": 128, "cols": 3584, "dtype": "bfloat16"},
        "Mixtral expert, groups of 64": {"groups": 64, "group_size": 64, "cols": 14336, "dtype": "bfloat16"},
        "odd width, groups of 32": {"groups": 37, "group_size": 32, "cols": 1544, "dtype": "float32"},
    },
    smoke={"groups": 3, "group_size": 32, "cols": 24, "dtype": "float16"},
)


def make_inputs(cfg, draw):
    word = {"low": -(2**31), "high": 2**31}
    return {
        "packed": draw.integers(cfg.groups * cfg.group_size // 8, cfg.cols, **word),
        "zeros": draw.integers(cfg.groups, cfg.cols // 8, **word),
        "scales": draw.values(cfg.groups, cfg.cols, dtype=cfg.dtype, scale=0.02),
    }


def reference(packed, zeros, scales):
    groups, cols = scales.shape
    shift = torch.arange(0, 32, 4, device=packed.device, dtype=torch.int32)
    q = (packed.unsqueeze(1) >> shift.view(1, 8, 1)) & 15
    zero = ((zeros.unsqueeze(-1) >> shift) & 15).view(groups, 1, cols)
    return ((q.view(groups, -1, cols) - zero) * scales.unsqueeze(1)).view(-1, cols)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.groups * cfg.group_size * cfg.cols
    parameters = cfg.groups * cfg.cols * size + cfg.groups * cfg.cols // 2
    return Work(bytes=elements // 2 + elements * size + parameters, operations=2 * elements)
