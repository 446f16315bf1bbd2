"""Backward pass of layer normalisation: gradients of input, gain and bias from saved mean and 1 / deviation.

Training BERT, GPT-2 or a vision transformer runs it twice a layer (Ba, Kiros and Hinton, 2016). With xhat the
normalised row and g = dy * weight, dx = rstd * (g - mean(g) - xhat * mean(g * xhat)) reduces along rows while
dweight = sum(dy * xhat) and dbias = sum(dy) reduce along columns: done separately, dy and x are read twice from memory;
done together, the column sums of many rows need partial results, atomics or a second kernel.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Layer normalisation, backward",
    family="normalization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 16384),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={
        "dy": Tensor("rows", "cols"), "x": Tensor("rows", "cols"), "weight": Tensor("cols"),
        "mean": Tensor("rows", dtype="float32"), "rstd": Tensor("rows", dtype="float32"),
    },
    outputs={
        "dx": Tensor("rows", "cols"),
        "dweight": Tensor("cols", dtype="float32"), "dbias": Tensor("cols", dtype="float32"),
    },
    seen={
        "BERT-large, 32 sequences of 512": {"rows": 16384, "cols": 1024, "dtype": "float16"},
        "GPT-3 13B training, 8k tokens": {"rows": 8192, "cols": 5120, "dtype": "bfloat16"},
        "ViT-B/16, 128 images": {"rows": 25216, "cols": 768, "dtype": "bfloat16"},
        "GPT-2 fine-tuning, 1k tokens": {"rows": 1024, "cols": 1600, "dtype": "float32"},
        "odd width, float32": {"rows": 3001, "cols": 2047, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    x = draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)
    variance, mean = torch.var_mean(x.to(torch.float32), dim=-1, correction=0)
    return {
        "dy": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype, scale=0.5),
        "x": x,
        "weight": draw.normal(cfg.cols, dtype=cfg.dtype, mean=1.0, std=0.5),
        "mean": mean,
        "rstd": torch.rsqrt(variance + 1e-5),
    }


def reference(dy, x, weight, mean, rstd):
    wide = torch.promote_types(x.dtype, torch.float32)
    dx, dweight, dbias = torch.ops.aten.native_layer_norm_backward(
        dy.to(wide), x.to(wide), (x.shape[-1],), mean.unsqueeze(-1), rstd.unsqueeze(-1), weight.to(wide),
        weight.to(wide), (True, True, True),
    )
    return dx.to(x.dtype), dweight, dbias


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    traffic = (3 * elements + cfg.cols) * size + 8 * cfg.rows + 8 * cfg.cols
    return Work(bytes=traffic, operations=12 * elements)
