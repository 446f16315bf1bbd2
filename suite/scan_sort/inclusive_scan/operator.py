"""Inclusive prefix sum along the last axis (Blelloch, 1990; `torch.cumsum`).

Compaction, sorting, top-p sampling (cumulative probabilities over a vocabulary) and ragged batches (offsets from their
counts) rest on it. Each output depends on all inputs before it, yet one read and one write of each element suffice: a
single pass needs blocks that publish their sums and look back at their neighbours (Merrill and Garland, 2016).
Few long rows and many short ones want different mappings.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Inclusive prefix sum",
    family="scan_sort",
    axes={
        "rows": log_range(1, 32768),
        "cols": log_range(1, 2**26),
        "dtype": choice("float32", "int32"),
    },
    constraint="rows * cols <= 2**26",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "stream compaction flags, 32 M": {"rows": 1, "cols": 2**25, "dtype": "int32"},
        "top-p sampling, batch 64, Llama-3 vocabulary": {"rows": 64, "cols": 128256, "dtype": "float32"},
        "decay of a state-space chunk": {"rows": 16384, "cols": 256, "dtype": "float32"},
        "odd length, one row": {"rows": 1, "cols": 1234567, "dtype": "float32"},
        "expert counts to offsets": {"rows": 60, "cols": 257, "dtype": "int32"},
    },
    smoke={"rows": 3, "cols": 4201, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    if cfg.dtype == "int32":
        # The largest sum, 11 * 2**26, fits 32 bits.
        return {"x": draw.integers(cfg.rows, cfg.cols, low=-4, high=12)}
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    return torch.cumsum(x, dim=-1, dtype=x.dtype)


def work(cfg):
    elements = cfg.rows * cfg.cols
    return Work(bytes=2 * 4 * elements, operations=elements)
