"""Unbiased variance and mean of each row, into float32 (torch.var_mean with correction 1).

Activation monitors, whitening, batch statistics and outlier detection before quantisation take it over whole layers.
The textbook difference of two sums cancels as soon as the mean is large against the spread, so it takes either two
passes over the row or Welford's update, whose partial results combine by Chan's formula (1979): more arithmetic and a
longer dependency chain in a kernel that should be bound by memory.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row-wise variance and mean",
    family="reduction",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(8, 1048576),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"variance": Tensor("rows", dtype="float32"), "mean": Tensor("rows", dtype="float32")},
    seen={
        "instance statistics, 64 images of 256 channels": {"rows": 16384, "cols": 12544, "dtype": "float16"},
        "Llama-3 8B activation monitor, 8k tokens": {"rows": 8192, "cols": 14336, "dtype": "bfloat16"},
        "weight rows of an 8B output head": {"rows": 128256, "cols": 1024, "dtype": "bfloat16"},
        "few long signals": {"rows": 16, "cols": 480001, "dtype": "float32"},
        "odd width, float32": {"rows": 4097, "cols": 1023, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 333, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    return torch.var_mean(x.to(torch.promote_types(x.dtype, torch.float32)), dim=-1, correction=1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=elements * size + 8 * cfg.rows, operations=3 * elements)
