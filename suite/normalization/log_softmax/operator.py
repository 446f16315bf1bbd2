"""Logarithm of the softmax over the last axis: y = x - max - log(sum(exp(x - max))) (torch.log_softmax).

Beam search, speculative verification, reinforcement learning from human feedback and every classification loss need
log-probabilities over the whole vocabulary. Computed as in the formula it reads a row three times and writes it once;
a row of 128 thousand logits fits no register file, so an online maximum or a split of the row over several groups
decides, while rows of a thousand classes should never be read twice.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Log-softmax",
    family="normalization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "Llama-3 scoring, 1k tokens": {"rows": 1024, "cols": 128256, "dtype": "bfloat16"},
        "Llama-2 beam search, 32 beams": {"rows": 32, "cols": 32000, "dtype": "float16"},
        "ImageNet classes, batch 8192": {"rows": 8192, "cols": 1000, "dtype": "float32"},
        "RNN-T joint network": {"rows": 65536, "cols": 1024, "dtype": "float16"},
        "GPT-2, odd vocabulary": {"rows": 509, "cols": 50257, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype, scale=2.0)}


def reference(x):
    # In float32 or better: PyTorch's CPU kernel rounds intermediate values to half precision.
    return F.log_softmax(x, dim=-1, dtype=torch.promote_types(x.dtype, torch.float32)).to(x.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=2 * elements * size, operations=4 * elements)
