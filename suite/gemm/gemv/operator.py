"""Matrix-vector product y = A x, row-major (level-2 BLAS `gemv`; Dongarra et al., 1988).

Every linear layer of a language model that decodes for one user is one; the matrix is read once and used once, so
tokens per second are memory bandwidth and nothing else. It is hard to reach that bandwidth at all shapes: rows may be
too few to fill the machine or too short to fill a block, and their starts need not be aligned for wide loads.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Matrix-vector product",
    family="gemm",
    axes={
        "rows": log_range(1, 2**20),
        "cols": log_range(1, 2**20),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"a": Tensor("rows", "cols"), "x": Tensor("cols")},
    outputs={"y": Tensor("rows")},
    seen={
        "Llama-3 8B gate and up, one token": {"rows": 28672, "cols": 4096, "dtype": "bfloat16"},
        "Llama-3 70B output head": {"rows": 32000, "cols": 8192, "dtype": "float16"},
        "power iteration, float32": {"rows": 8192, "cols": 8192, "dtype": "float32"},
        "many short rows": {"rows": 500000, "cols": 100, "dtype": "float32"},
        "few long rows, odd": {"rows": 13, "cols": 1000003, "dtype": "float16"},
    },
    smoke={"rows": 19, "cols": 301, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "a": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "x": draw.values(cfg.cols, dtype=cfg.dtype, scale=cfg.cols**-0.5),
    }


def reference(a, x):
    return torch.mv(a, x)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(
        bytes=(cfg.rows * cfg.cols + cfg.rows + cfg.cols) * size, operations=2 * cfg.rows * cfg.cols, rate=cfg.dtype
    )
