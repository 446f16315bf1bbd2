"""Layer normalisation over the last axis with gain and bias (Ba, Kiros and Hinton, 2016).

BERT, GPT-2, Whisper and every vision transformer run it twice a layer. The mean has to be known before the variance:
computing both from sums of x and x * x in one pass cancels as soon as the mean is large against the spread, and doing
it safely costs another pass over the row unless it stays in registers or Welford's update is used.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Layer normalisation",
    family="normalization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={
        "x": Tensor("rows", "cols"), "weight": Tensor("cols"), "bias": Tensor("cols"), "eps": Scalar("float32"),
    },
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "BERT-large, 32 sequences of 512": {"rows": 16384, "cols": 1024, "dtype": "float16"},
        "GPT-3 175B training, 8k tokens": {"rows": 8192, "cols": 12288, "dtype": "bfloat16"},
        "ViT-B/16, 128 images": {"rows": 25216, "cols": 768, "dtype": "bfloat16"},
        "Whisper decode, batch 8": {"rows": 8, "cols": 1280, "dtype": "float16"},
        "odd width, float32": {"rows": 3001, "cols": 2047, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "weight": draw.normal(cfg.cols, dtype=cfg.dtype, mean=1.0, std=0.5),
        "bias": draw.normal(cfg.cols, dtype=cfg.dtype, std=0.5),
        "eps": draw.scalar(1e-6, 1e-4),
    }


def reference(x, weight, bias, eps):
    return F.layer_norm(x, (x.shape[-1],), weight, bias, eps)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=(2 * elements + 2 * cfg.cols) * size, operations=6 * elements)
