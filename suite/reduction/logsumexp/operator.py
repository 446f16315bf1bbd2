"""Logarithm of the sum of exponentials of each row, into float32 (torch.logsumexp).

The z-loss of PaLM and of mixture-of-experts routers squares it, memory-saving cross entropies keep it between forward
and backward pass, and importance weights need it over long score lists. The maximum must be subtracted before
exponentiation; a single pass rescales a running sum whenever the maximum grows, and combining partial results of
several groups needs both numbers. Half-precision rows leave about as much time for exponentials as for memory.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row-wise log-sum-exp",
    family="reduction",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(8, 524288),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"lse": Tensor("rows", dtype="float32")},
    seen={
        "PaLM z-loss, 1k tokens": {"rows": 1024, "cols": 256000, "dtype": "bfloat16"},
        "Llama-3 loss, 1k tokens": {"rows": 1024, "cols": 128256, "dtype": "float16"},
        "router z-loss, 64k tokens, 64 experts": {"rows": 65536, "cols": 64, "dtype": "float32"},
        "ranking lists, batch 4096": {"rows": 4096, "cols": 1001, "dtype": "float32"},
        "one long list of scores": {"rows": 3, "cols": 500009, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 333, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype, scale=2.0)}


def reference(x):
    return torch.logsumexp(x.to(torch.promote_types(x.dtype, torch.float32)), dim=-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=elements * size + 4 * cfg.rows, operations=3 * elements)
