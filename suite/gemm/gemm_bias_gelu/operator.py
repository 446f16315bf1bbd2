"""Linear layer with bias and exact GELU, Y = gelu(X W^T + b) (Hendrycks and Gimpel, 2016).

The first half of the feed-forward block of BERT, ViT and Whisper. Fusing the epilogue saves a round trip of the largest
activation of the layer; the difficulty is to do bias and error function on accumulators while matrix units stay fed,
with the erf hidden under the next tile's loads.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Linear layer with bias and GELU",
    family="gemm",
    axes={
        "m": log_range(1, 65536),
        "n": log_range(1, 32768),
        "k": log_range(1, 8192),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="m * n * k <= 2**37 and m * n <= 2**28 and m * k <= 2**27 and n * k <= 2**27",
    inputs={"x": Tensor("m", "k"), "weight": Tensor("n", "k"), "bias": Tensor("n")},
    outputs={"y": Tensor("m", "n")},
    seen={
        "BERT-large, 32 sequences of 512": {"m": 16384, "n": 4096, "k": 1024, "dtype": "float16"},
        "ViT-L/14, batch 16": {"m": 4112, "n": 4096, "k": 1024, "dtype": "bfloat16"},
        "Whisper large decoder, batch 5": {"m": 5, "n": 5120, "k": 1280, "dtype": "float16"},
        "ESM-2 3B, one protein": {"m": 733, "n": 10240, "k": 2560, "dtype": "bfloat16"},
        "odd everywhere": {"m": 1021, "n": 3079, "k": 517, "dtype": "float16"},
    },
    smoke={"m": 37, "n": 45, "k": 29, "dtype": "float16"},
    # The unfused reference rounds the product to half precision before the activation.
    accumulation="float16",
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.m, cfg.k, dtype=cfg.dtype),
        "weight": draw.values(cfg.n, cfg.k, dtype=cfg.dtype, scale=cfg.k**-0.5),
        "bias": draw.normal(cfg.n, dtype=cfg.dtype, std=0.5),
    }


def reference(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias))


def work(cfg):
    return Work(
        bytes=2 * (cfg.m * cfg.k + cfg.n * cfg.k + cfg.n + cfg.m * cfg.n),
        operations=2 * cfg.m * cfg.n * cfg.k,
        rate=cfg.dtype,
    )
