"""Rotary position embedding in the half-split layout (Su et al., 2021; GPT-NeoX), in place on queries and keys.

Every Llama, Qwen and Mistral layer applies it to the projections of each token; serving engines do so in place, from a
table that holds cosines in its first half and sines in its second, one row for each position. The two elements of a
pair lie half a head apart, grouped-query models have few key heads beside many query heads, and the table's row is
shared by all heads of a token: a fast kernel uses wide accesses on both halves, reads the row once for a token, and
still fills the machine when a decode batch holds only a few tokens.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Rotary embedding, half-split layout",
    family="elementwise",
    axes={
        "tokens": log_range(1, 65536),
        "heads": log_range(1, 128),
        "kv_heads": log_range(1, 32),
        "head_dim": log_range(16, 256, multiple_of=2),
        "max_position": log_range(16, 131072),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="kv_heads <= heads and tokens * heads * head_dim <= 2**27",
    inputs={
        "positions": Tensor("tokens", dtype="int64"),
        "cos_sin": Tensor("max_position", "head_dim", dtype="float32"),
    },
    outputs={
        "query": Tensor("tokens", "heads", "head_dim", inout=True),
        "key": Tensor("tokens", "kv_heads", "head_dim", inout=True),
    },
    seen={
        "Llama-3 8B prefill, 8k tokens": {
            "tokens": 8192, "heads": 32, "kv_heads": 8, "head_dim": 128, "max_position": 8192, "dtype": "bfloat16",
        },
        "Llama-3 70B decode, batch 256": {
            "tokens": 256, "heads": 64, "kv_heads": 8, "head_dim": 128, "max_position": 32768, "dtype": "float16",
        },
        "Llama-2 7B training, 16k tokens": {
            "tokens": 16384, "heads": 32, "kv_heads": 32, "head_dim": 128, "max_position": 4096, "dtype": "bfloat16",
        },
        "Phi-2 prefill, head of 80": {
            "tokens": 2047, "heads": 32, "kv_heads": 32, "head_dim": 80, "max_position": 2048, "dtype": "float16",
        },
        "odd head, float32": {
            "tokens": 3001, "heads": 7, "kv_heads": 1, "head_dim": 90, "max_position": 5000, "dtype": "float32",
        },
    },
    smoke={"tokens": 3, "heads": 3, "kv_heads": 1, "head_dim": 18, "max_position": 37, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    angle = draw.uniform(cfg.max_position, cfg.head_dim // 2, dtype="float32", low=-3.14159, high=3.14159)
    return {
        "positions": draw.integers(cfg.tokens, low=0, high=cfg.max_position, dtype="int64"),
        "cos_sin": torch.cat((angle.cos(), angle.sin()), dim=-1),
        "query": draw.values(cfg.tokens, cfg.heads, cfg.head_dim, dtype=cfg.dtype),
        "key": draw.values(cfg.tokens, cfg.kv_heads, cfg.head_dim, dtype=cfg.dtype),
    }


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1).to(x.dtype)


def reference(positions, cos_sin, query, key):
    cos, sin = cos_sin[positions].unsqueeze(1).chunk(2, dim=-1)
    return rotate(query, cos, sin), rotate(key, cos, sin)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.tokens * (cfg.heads + cfg.kv_heads) * cfg.head_dim
    return Work(bytes=2 * elements * size + 8 * cfg.tokens + 4 * cfg.head_dim, operations=3 * elements)
