"""The k largest values of each row in descending order (`torch.topk`).

Routers of mixture-of-experts layers, beam search and top-k sampling, and nearest-neighbour search over distances. Only
the values are asked for, so ties have one right answer. Selection has no regular structure: to sort a row is too much
work, k passes read it too often, and partial selection (Alabi et al., 2012) diverges on the data; a router has
thousands of short rows, a sampler a few rows of a hundred thousand.
"""

import torch

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, int_range, log_range

OPERATOR = Operator(
    title="Top-k values of rows",
    family="scan_sort",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(32, 2**20),
        "k": int_range(1, 32),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**26",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"values": Tensor("rows", "k", rule=Rule.EXACT)},
    seen={
        "DeepSeek-V3 router, 16k tokens": {"rows": 16384, "cols": 256, "k": 8, "dtype": "float32"},
        "top-k sampling, Llama-3 vocabulary, batch 64": {"rows": 64, "cols": 128256, "k": 20, "dtype": "float32"},
        "nearest neighbours, 10k candidates": {"rows": 4096, "cols": 10000, "k": 10, "dtype": "float16"},
        "Mixtral router, 64k tokens": {"rows": 65536, "cols": 32, "k": 2, "dtype": "bfloat16"},
        "one long row, odd": {"rows": 1, "cols": 999983, "k": 31, "dtype": "float32"},
    },
    smoke={"rows": 3, "cols": 301, "k": 5, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x, k):
    return torch.topk(x, k, dim=-1).values


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=cfg.rows * (cfg.cols + cfg.k) * size, operations=cfg.rows * cfg.cols)
