"""Smallest value, largest value and their distance for each row, in one pass (torch.aminmax).

Asymmetric quantisation calibrates every channel of a weight and every batch of activations with it (GPTQ, AWQ,
PyTorch's min-max observers). Two reductions share one reading of the data; comparisons instead of sums leave no
rounding to hide behind, and calibration over whole layers means few rows of millions of elements, where one group of
threads for each row uses a fraction of the machine.

Minimum and maximum are exact; the range is their difference, rounded once to float32. Rows hold no NaN.
"""

import torch

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row-wise minimum, maximum and range",
    family="reduction",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(8, 4194304),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={
        "low": Tensor("rows", rule=Rule.EXACT), "high": Tensor("rows", rule=Rule.EXACT),
        "width": Tensor("rows", dtype="float32"),
    },
    seen={
        "Llama-3 8B MLP weight, per channel": {"rows": 14336, "cols": 4096, "dtype": "bfloat16"},
        "Llama-3 70B head, per channel": {"rows": 32064, "cols": 8192, "dtype": "bfloat16"},
        "groups of 128 weights": {"rows": 131072, "cols": 128, "dtype": "float16"},
        "activation observer, 64 layers": {"rows": 64, "cols": 1048576, "dtype": "float16"},
        "odd width, float32": {"rows": 513, "cols": 100003, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 333, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    low, high = torch.aminmax(x, dim=-1)
    wide = torch.promote_types(x.dtype, torch.float32)
    return low, high, high.to(wide) - low.to(wide)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=elements * size + cfg.rows * (2 * size + 4), operations=2 * elements)
