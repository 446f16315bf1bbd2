"""Decode attention with grouped queries: one new token per sequence against its key-value cache (Ainslie et al., 2023).

The step that language models spend their serving time in (Llama-3, Qwen, Mistral). All queries of a group read the same
keys and values, so the cache should cross the memory bus once, at full bandwidth; but sequences differ in length, and a
few heads of few sequences do not fill a machine unless each cache is split and the partial softmaxes are merged
(Flash-Decoding, Dao et al., 2023).
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, int_range, log_range

OPERATOR = Operator(
    title="Decode attention, grouped queries",
    family="attention",
    axes={
        "batch": log_range(1, 256),
        "kv_heads": log_range(1, 32),
        "group": int_range(1, 16),
        "length": log_range(1, 131072),
        "head_dim": choice(64, 128),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="batch * kv_heads * length * head_dim <= 2**27 and batch * kv_heads * group * length <= 2**24",
    inputs={
        "q": Tensor("batch", "kv_heads * group", "head_dim"),
        "k_cache": Tensor("batch", "kv_heads", "length", "head_dim"),
        "v_cache": Tensor("batch", "kv_heads", "length", "head_dim"),
        "lengths": Tensor("batch", dtype="int32"),
    },
    outputs={"out": Tensor("batch", "kv_heads * group", "head_dim")},
    seen={
        "Llama-3 8B, batch 32, 4k context": {
            "batch": 32, "kv_heads": 8, "group": 4, "length": 4096, "head_dim": 128, "dtype": "bfloat16"},
        "Llama-3 70B on 8 devices, batch 64": {
            "batch": 64, "kv_heads": 1, "group": 8, "length": 8192, "head_dim": 128, "dtype": "float16"},
        "one user, 128k context": {
            "batch": 1, "kv_heads": 8, "group": 4, "length": 131072, "head_dim": 128, "dtype": "bfloat16"},
        "Qwen2.5 0.5B, batch 16": {
            "batch": 16, "kv_heads": 2, "group": 7, "length": 2048, "head_dim": 64, "dtype": "float16"},
        "odd length": {
            "batch": 7, "kv_heads": 5, "group": 3, "length": 3001, "head_dim": 64, "dtype": "bfloat16"},
    },
    smoke={"batch": 2, "kv_heads": 2, "group": 3, "length": 85, "head_dim": 64, "dtype": "float16"},
    # Tensor-core kernels round the probabilities to half precision before the second product, PyTorch's own included.
    accumulation="float16",
)


def make_inputs(cfg, draw):
    cache = (cfg.batch, cfg.kv_heads, cfg.length, cfg.head_dim)
    return {
        "q": draw.values(cfg.batch, cfg.kv_heads * cfg.group, cfg.head_dim, dtype=cfg.dtype),
        "k_cache": draw.values(*cache, dtype=cfg.dtype),
        "v_cache": draw.values(*cache, dtype=cfg.dtype),
        "lengths": draw.integers(cfg.batch, low=shortest(cfg), high=cfg.length + 1),
    }


def shortest(cfg):
    return cfg.length - cfg.length // 2


def reference(q, k_cache, v_cache, lengths):
    # The queries of a group take the place of query positions: they share keys, values and mask.
    grouped = q.unflatten(1, (k_cache.shape[1], -1))
    valid = torch.arange(k_cache.shape[2], device=q.device) < lengths[:, None]
    return F.scaled_dot_product_attention(grouped, k_cache, v_cache, attn_mask=valid[:, None, None]).flatten(1, 2)


def work(cfg):
    # No sequence is shorter than this, whatever is drawn.
    keys = cfg.batch * cfg.kv_heads * shortest(cfg)
    queries = cfg.batch * cfg.kv_heads * cfg.group
    return Work(
        bytes=2 * cfg.head_dim * (2 * keys + 2 * queries) + 4 * cfg.batch,
        operations=2 * 2 * keys * cfg.group * cfg.head_dim,
        rate=cfg.dtype,
    )
