"""Softmax over the last axis, stabilised by the row's maximum (Bridle, 1990; `torch.softmax`).

Attention probabilities, routers and samplers all end in it: rows are as short as a router's 64 experts and as long as a
vocabulary of 150 thousand tokens. A row needs its maximum and its sum before the first output can be written, so the
difficulty is to read it once, with short rows sharing a block and long rows spread over many.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Softmax over rows",
    family="normalization",
    axes={
        "rows": log_range(1, 262144),
        "cols": log_range(8, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "attention scores, 32 heads, 2k tokens": {"rows": 65536, "cols": 2048, "dtype": "float16"},
        "Qwen3 sampler, batch 64": {"rows": 64, "cols": 151936, "dtype": "float32"},
        "DeepSeek-V3 router, 16k tokens": {"rows": 16384, "cols": 256, "dtype": "float32"},
        "odd width, GPT-2 vocabulary": {"rows": 1023, "cols": 50257, "dtype": "bfloat16"},
        "decode scores, one sequence": {"rows": 32, "cols": 8192, "dtype": "bfloat16"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype, scale=2.0)}


def reference(x):
    return torch.softmax(x, dim=-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=2 * elements * size, operations=4 * elements)
