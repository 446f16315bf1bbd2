"""Soft capping of logits with temperature, into float32: y = cap * tanh(x / cap) / temperature (Gemma-2, 2024).

Gemma-2 and Grok cap the logits of every generated token before sampling, with a temperature of its own for each
sequence. Half-precision logits are read and float32 ones written, so loads and stores of one thread differ in width;
tanh must keep its relative accuracy for small arguments, where exp-based formulas cancel, and it costs more
instructions than the memory traffic allows for.
"""

import torch

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Soft capping of logits",
    family="elementwise",
    axes={
        "rows": log_range(1, 65536),
        "vocab": log_range(16, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * vocab <= 2**27",
    inputs={
        "logits": Tensor("rows", "vocab"), "temperature": Tensor("rows", dtype="float32"), "cap": Scalar("float32"),
    },
    outputs={"y": Tensor("rows", "vocab", dtype="float32")},
    seen={
        "Gemma-2 decode, batch 64": {"rows": 64, "vocab": 256000, "dtype": "bfloat16"},
        "Gemma-2 scoring, 512 tokens": {"rows": 512, "vocab": 256000, "dtype": "bfloat16"},
        "Gemma-2 decode, one sequence": {"rows": 1, "vocab": 256000, "dtype": "bfloat16"},
        "Grok-1 decode, batch 128": {"rows": 128, "vocab": 131072, "dtype": "float16"},
        "odd vocabulary, float32": {"rows": 257, "vocab": 50257, "dtype": "float32"},
    },
    smoke={"rows": 3, "vocab": 101, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "logits": draw.values(cfg.rows, cfg.vocab, dtype=cfg.dtype, scale=8.0),
        "temperature": draw.uniform(cfg.rows, dtype="float32", low=0.5, high=2.0),
        "cap": draw.scalar(15.0, 50.0),
    }


def reference(logits, temperature, cap):
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.tanh(logits / cap) * (cap / temperature.unsqueeze(-1))


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.vocab
    return Work(bytes=elements * (size + 4) + 4 * cfg.rows, operations=8 * elements)
