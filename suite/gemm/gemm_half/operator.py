"""Matrix product Y = X W^T in float16 or bfloat16 with float32 accumulation (`torch.nn.functional.linear`).

Every projection of every transformer is one: X holds tokens, W is stored as (outputs, inputs), so both operands are
contiguous along the inner dimension. The matrix units decide the speed, and they are fed only if copies into shared
memory run ahead of the arithmetic; shapes change from thousands of tokens in a prefill to a handful in a decode step,
and each wants another tile, another split of the inner dimension and another order of blocks.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Matrix product, half precision",
    family="gemm",
    axes={
        "m": log_range(1, 32768),
        "n": log_range(1, 32768),
        "k": log_range(1, 16384),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="m * n * k <= 2**38 and m * n <= 2**28 and m * k <= 2**28 and n * k <= 2**28",
    inputs={"x": Tensor("m", "k"), "weight": Tensor("n", "k")},
    outputs={"y": Tensor("m", "n")},
    seen={
        "Llama-3 8B query projection, 4k tokens": {"m": 4096, "n": 4096, "k": 4096, "dtype": "bfloat16"},
        "Llama-3 8B down projection, 2k tokens": {"m": 2048, "n": 4096, "k": 14336, "dtype": "bfloat16"},
        "Llama-3 8B gate and up, batch 128": {"m": 128, "n": 28672, "k": 4096, "dtype": "float16"},
        "ViT-H patches, odd token count": {"m": 2056, "n": 5120, "k": 1280, "dtype": "float16"},
        "odd everywhere": {"m": 1023, "n": 1537, "k": 771, "dtype": "bfloat16"},
    },
    smoke={"m": 37, "n": 45, "k": 29, "dtype": "float16"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.m, cfg.k, dtype=cfg.dtype),
        "weight": draw.values(cfg.n, cfg.k, dtype=cfg.dtype, scale=cfg.k**-0.5),
    }


def reference(x, weight):
    return F.linear(x, weight)


def work(cfg):
    return Work(
        bytes=2 * (cfg.m * cfg.k + cfg.n * cfg.k + cfg.m * cfg.n),
        operations=2 * cfg.m * cfg.n * cfg.k,
        rate=cfg.dtype,
    )
