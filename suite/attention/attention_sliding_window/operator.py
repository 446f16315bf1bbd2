"""Causal attention within a sliding window, grouped queries (Longformer, Beltagy et al., 2020; Mistral 7B).

Each query sees itself and the `window` - 1 keys before it: Mistral, Gemma 2 and 3 and gpt-oss use it in all or every
other layer. The work is a band along the diagonal, so tiles outside it must not be visited at all and both edges of
the band need masks, while short windows leave little arithmetic to hide loads and softmax behind.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, int_range, log_range

OPERATOR = Operator(
    title="Sliding-window attention",
    family="attention",
    axes={
        "batch": log_range(1, 32),
        "kv_heads": log_range(1, 32),
        "group": int_range(1, 8),
        "length": log_range(1, 16384),
        "window": log_range(1, 8192),
        "head_dim": choice(64, 128),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="batch * kv_heads * group * length * length <= 2**30 "
    "and batch * kv_heads * group * length * head_dim <= 2**26",
    inputs={
        "q": Tensor("batch", "kv_heads * group", "length", "head_dim"),
        "k": Tensor("batch", "kv_heads", "length", "head_dim"),
        "v": Tensor("batch", "kv_heads", "length", "head_dim"),
    },
    outputs={"out": Tensor("batch", "kv_heads * group", "length", "head_dim")},
    seen={
        "Mistral 7B, prompt longer than its window": {
            "batch": 1, "kv_heads": 8, "group": 4, "length": 5500, "window": 4096, "head_dim": 128,
            "dtype": "bfloat16"},
        "Gemma 3 27B local layer": {
            "batch": 1, "kv_heads": 16, "group": 2, "length": 4096, "window": 1024, "head_dim": 128,
            "dtype": "bfloat16"},
        "gpt-oss 20B local layer": {
            "batch": 1, "kv_heads": 8, "group": 8, "length": 4096, "window": 128, "head_dim": 64, "dtype": "float16"},
        "long document on one of eight devices": {
            "batch": 1, "kv_heads": 1, "group": 4, "length": 16384, "window": 512, "head_dim": 128,
            "dtype": "float16"},
        "odd length and window": {
            "batch": 3, "kv_heads": 2, "group": 3, "length": 1777, "window": 333, "head_dim": 64, "dtype": "bfloat16"},
    },
    smoke={"batch": 1, "kv_heads": 1, "group": 2, "length": 150, "window": 41, "head_dim": 64, "dtype": "float16"},
    # Tensor-core kernels round the probabilities to half precision before the second product, PyTorch's own included.
    accumulation="float16",
)


def make_inputs(cfg, draw):
    return {
        "q": draw.values(cfg.batch, cfg.kv_heads * cfg.group, cfg.length, cfg.head_dim, dtype=cfg.dtype),
        "k": draw.values(cfg.batch, cfg.kv_heads, cfg.length, cfg.head_dim, dtype=cfg.dtype),
        "v": draw.values(cfg.batch, cfg.kv_heads, cfg.length, cfg.head_dim, dtype=cfg.dtype),
    }


def reference(q, k, v, group, window):
    position = torch.arange(q.shape[2], device=q.device)
    distance = position[:, None] - position
    visible = (distance >= 0) & (distance < window)
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)


def work(cfg):
    kv_heads = cfg.batch * cfg.kv_heads
    window = min(cfg.window, cfg.length)
    pairs = kv_heads * cfg.group * (window * (window + 1) // 2 + (cfg.length - window) * window)
    return Work(
        bytes=2 * 2 * kv_heads * (cfg.group + 1) * cfg.length * cfg.head_dim,
        operations=2 * 2 * pairs * cfg.head_dim,
        rate=cfg.dtype,
    )
