"""Int8 matrix product with scales per token and per channel, Y = (X W^T) s_x s_w + b (LLM.int8, Dettmers et al., 2022).

The linear layer of W8A8 models (SmoothQuant, compressed-tensors in vLLM). Integer matrix units run at twice the half
rate, so feeding them is twice as hard; sums are exact in int32, and scales and bias have to be applied to the
accumulators on the way out.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Int8 matrix product with scales",
    family="gemm",
    axes={
        "m": log_range(1, 32768),
        "n": log_range(1, 32768),
        "k": log_range(1, 16384),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="m * n * k <= 2**38 and m * n <= 2**27 and m * k <= 2**27 and n * k <= 2**27",
    inputs={
        "x": Tensor("m", "k", dtype="int8"),
        "weight": Tensor("n", "k", dtype="int8"),
        "x_scale": Tensor("m", dtype="float32"),
        "weight_scale": Tensor("n", dtype="float32"),
        "bias": Tensor("n"),
    },
    outputs={"y": Tensor("m", "n")},
    seen={
        "Llama-3 8B output projection, 4k tokens": {"m": 4096, "n": 4096, "k": 4096, "dtype": "bfloat16"},
        "Llama-3 8B gate and up, batch 64": {"m": 64, "n": 28672, "k": 4096, "dtype": "float16"},
        "OPT-13B feed-forward, 2k tokens": {"m": 2048, "n": 20480, "k": 5120, "dtype": "float16"},
        "decode, batch 1": {"m": 1, "n": 8192, "k": 8192, "dtype": "bfloat16"},
        "odd everywhere": {"m": 333, "n": 4099, "k": 1031, "dtype": "bfloat16"},
    },
    smoke={"m": 37, "n": 45, "k": 131, "dtype": "float16"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.integers(cfg.m, cfg.k, low=-127, high=128, dtype="int8"),
        "weight": draw.integers(cfg.n, cfg.k, low=-127, high=128, dtype="int8"),
        "x_scale": draw.uniform(cfg.m, dtype="float32", low=0.01, high=0.02),
        # Keeps outputs near 1 at every inner dimension: int8 products have a standard deviation of 73 * 73.
        "weight_scale": draw.uniform(cfg.n, dtype="float32", low=0.005, high=0.02).mul_(cfg.k**-0.5),
        "bias": draw.normal(cfg.n, dtype=cfg.dtype, std=0.5),
    }


def reference(x, weight, x_scale, weight_scale, bias):
    product = torch.matmul(x.to(x_scale.dtype), weight.to(x_scale.dtype).T)
    return (product * x_scale[:, None] * weight_scale + bias.to(x_scale.dtype)).to(bias.dtype)


def work(cfg):
    return Work(
        bytes=cfg.m * cfg.k + cfg.n * cfg.k + 4 * (cfg.m + cfg.n) + 2 * (cfg.n + cfg.m * cfg.n),
        operations=2 * cfg.m * cfg.n * cfg.k,
        rate="int8",
    )
