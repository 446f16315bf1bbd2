"""Bias and exact GELU in one pass: y = (x + b) * Phi(x + b), Phi the normal distribution (Hendrycks and Gimpel, 2016).

BERT, GPT-2, Whisper and Megatron-LM fuse the bias of the first feed-forward matrix product into the activation behind
it. One read and one write for each element leave little room: the bias has to come from cache or registers instead of
a second stream, and the error function costs tens of instructions, which half-precision bandwidth does not hide.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Bias and exact GELU",
    family="elementwise",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 65536),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols"), "bias": Tensor("cols")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "BERT-large, 32 sequences of 512": {"rows": 16384, "cols": 4096, "dtype": "float16"},
        "GPT-3 175B training, 2k tokens": {"rows": 2048, "cols": 49152, "dtype": "bfloat16"},
        "Whisper-large decode, batch 16": {"rows": 16, "cols": 5120, "dtype": "float16"},
        "ViT-L/14, 64 images": {"rows": 16448, "cols": 4096, "dtype": "bfloat16"},
        "odd width, float32": {"rows": 2049, "cols": 3333, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "bias": draw.normal(cfg.cols, dtype=cfg.dtype, std=0.5),
    }


def reference(x, bias):
    # The sum in float32 or better: rounding it to half precision would cost more than the result's own rounding.
    return F.gelu(x + bias.to(torch.promote_types(x.dtype, torch.float32))).to(x.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=(2 * elements + cfg.cols) * size, operations=8 * elements)
