"""Bias, dropout and residual in one pass: y = residual + dropout(x + b), with a counter-based random mask.

Megatron-LM and BERT training run it behind every attention and feed-forward block; a counter-based generator (Salmon
et al., 2011) lets any thread decide any element, and the backward pass recompute the mask instead of storing it. The
integer arithmetic of the mask competes with three streams of memory traffic, and the bias should not be a fourth.

The mask is part of the contract and is exact. In unsigned 32-bit arithmetic that wraps, element i (row-major, i = 0 to
rows * cols - 1) gets

    h = i * 0x9E3779B9 + seed
    h = (h ^ (h >> 16)) * 0x85EBCA6B
    h = (h ^ (h >> 13)) * 0xC2B2AE35
    h = h ^ (h >> 16)

(the finaliser of Appleby's MurmurHash3 over a Weyl sequence). The element is dropped where h >> 8 < threshold, which
happens with probability p = threshold / 2**24; the others are multiplied by 1 / (1 - p).
"""

import torch

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Bias, dropout and residual",
    family="elementwise",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={
        "x": Tensor("rows", "cols"), "bias": Tensor("cols"), "residual": Tensor("rows", "cols"),
        "seed": Scalar("int32"), "threshold": Scalar("int32"),
    },
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "BERT-large, 32 sequences of 512": {"rows": 16384, "cols": 1024, "dtype": "float16"},
        "GPT-3 13B training, 8k tokens": {"rows": 8192, "cols": 5120, "dtype": "bfloat16"},
        "T5-large training, 64k tokens": {"rows": 65536, "cols": 1024, "dtype": "bfloat16"},
        "BERT-base, one sequence": {"rows": 128, "cols": 768, "dtype": "float32"},
        "odd width, float32": {"rows": 2049, "cols": 3333, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "bias": draw.normal(cfg.cols, dtype=cfg.dtype, std=0.5),
        "residual": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "seed": int(draw.scalar(0, 2**31 - 1)),
        "threshold": int(draw.scalar(0.05, 0.4) * 2**24),
    }


def kept(shape, seed, threshold, device):
    """The mask of the docstring; int64 holds every intermediate modulo 2**32."""
    word = 0xFFFFFFFF
    h = torch.arange(shape.numel(), device=device).mul_(0x9E3779B9).add_(seed).bitwise_and_(word)
    h = (h ^ (h >> 16)).mul_(0x85EBCA6B).bitwise_and_(word)
    h = (h ^ (h >> 13)).mul_(0xC2B2AE35).bitwise_and_(word)
    h = h ^ (h >> 16)
    return (h >> 8).ge(threshold).view(shape)


def reference(x, bias, residual, seed, threshold):
    keep = kept(x.shape, seed, threshold, x.device)
    scale = 1.0 / (1.0 - threshold / 2**24)
    # The sum in float32 or better: rounded to half precision, it would no longer cancel against the residual.
    v = (x + bias.to(torch.promote_types(x.dtype, torch.float32))).mul_(scale)
    return v.masked_fill_(~keep, 0.0).add_(residual).to(x.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    # Dropped elements of x need not be read, and at most two in five are dropped on average.
    return Work(bytes=(2 * elements + elements // 2 + cfg.cols) * size, operations=11 * elements)
