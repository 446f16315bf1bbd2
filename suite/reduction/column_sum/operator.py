"""Sum over the rows of a matrix, one result for each column, into float32 (torch.sum over dim 0).

It is the bias gradient of every linear layer and the usage count of every router. Threads that run along a row read
memory well but hold one column each, so parallelism over the columns alone is far too little when there are few of
them, and splitting the rows needs partial sums: through LDS, through atomics (whose order varies) or in a second pass.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Column sums",
    family="reduction",
    axes={
        "rows": log_range(1, 1048576),
        "cols": log_range(8, 65536),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"y": Tensor("cols", dtype="float32")},
    seen={
        "GPT-3 13B bias gradient, 8k tokens": {"rows": 8192, "cols": 20480, "dtype": "bfloat16"},
        "BERT-large bias gradient, 16k tokens": {"rows": 16384, "cols": 4096, "dtype": "float16"},
        "Llama-3 8B query bias, 32k tokens": {"rows": 32768, "cols": 4096, "dtype": "bfloat16"},
        "router usage, 64k tokens, 256 experts": {"rows": 65536, "cols": 256, "dtype": "float32"},
        "odd shape, float32": {"rows": 5001, "cols": 3077, "dtype": "float32"},
    },
    smoke={"rows": 37, "cols": 45, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    return torch.sum(x, dim=0, dtype=torch.promote_types(x.dtype, torch.float32))


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=elements * size + 4 * cfg.cols, operations=elements)
