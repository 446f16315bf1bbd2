"""Causal self-attention, softmax(Q K^T / sqrt(d)) V (Vaswani et al., 2017; tiled as in FlashAttention, Dao, 2022).

The prefill of every decoder-only language model. Scores must never reach memory, so the softmax runs while the keys
stream by; it is hard to make fast because two chained products have to keep the matrix units busy while exponentials,
running maxima and rescaling happen between them, and because the causal mask leaves blocks with unequal work.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Causal attention",
    family="attention",
    axes={
        "batch": log_range(1, 64),
        "heads": log_range(1, 128),
        "length": log_range(1, 16384),
        "head_dim": choice(64, 128),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="batch * heads * length * length <= 2**29 and batch * heads * length * head_dim <= 2**26",
    inputs={
        "q": Tensor("batch", "heads", "length", "head_dim"),
        "k": Tensor("batch", "heads", "length", "head_dim"),
        "v": Tensor("batch", "heads", "length", "head_dim"),
    },
    outputs={"out": Tensor("batch", "heads", "length", "head_dim")},
    seen={
        "Llama-2 7B prefill, 4k tokens": {
            "batch": 1, "heads": 32, "length": 4096, "head_dim": 128, "dtype": "float16"},
        "GPT-2 small training step": {"batch": 8, "heads": 12, "length": 1024, "head_dim": 64, "dtype": "bfloat16"},
        "long prompt on one of four devices": {
            "batch": 1, "heads": 8, "length": 8192, "head_dim": 128, "dtype": "bfloat16"},
        "many short prompts": {"batch": 32, "heads": 32, "length": 200, "head_dim": 128, "dtype": "float16"},
        "odd length": {"batch": 2, "heads": 15, "length": 1111, "head_dim": 64, "dtype": "float16"},
    },
    smoke={"batch": 1, "heads": 2, "length": 75, "head_dim": 64, "dtype": "float16"},
    # Tensor-core kernels round the probabilities to half precision before the second product, PyTorch's own included.
    accumulation="float16",
)


def make_inputs(cfg, draw):
    shape = (cfg.batch, cfg.heads, cfg.length, cfg.head_dim)
    return {
        "q": draw.values(*shape, dtype=cfg.dtype),
        "k": draw.values(*shape, dtype=cfg.dtype),
        "v": draw.values(*shape, dtype=cfg.dtype),
    }


def reference(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def work(cfg):
    heads = cfg.batch * cfg.heads
    pairs = heads * cfg.length * (cfg.length + 1) // 2
    return Work(
        bytes=2 * 4 * heads * cfg.length * cfg.head_dim,
        operations=2 * 2 * pairs * cfg.head_dim,
        rate=cfg.dtype,
    )
