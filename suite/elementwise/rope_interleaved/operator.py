"""Partial rotary embedding on adjacent pairs, angles computed on the fly (Su et al., 2021; GPT-J's layout).

GPT-J, CodeGen, GLM and DeepSeek rotate pairs (x[2i], x[2i + 1]) by position * inv_freq[i] in the first rotary_dim
elements of a head and copy the rest. No table of sines is read, so a sine and a cosine with exact argument reduction
(angles reach thousands of radians) are the dearest part unless all heads of a token share them; pairs are adjacent,
so the natural access is a two-element vector.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Rotary embedding, interleaved layout",
    family="elementwise",
    axes={
        "tokens": log_range(1, 65536),
        "heads": log_range(1, 128),
        "head_dim": log_range(16, 256, multiple_of=2),
        "rotary_dim": log_range(2, 256, multiple_of=2),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rotary_dim <= head_dim and tokens * heads * head_dim <= 2**27",
    inputs={
        "x": Tensor("tokens", "heads", "head_dim"),
        "positions": Tensor("tokens", dtype="int32"),
        "inv_freq": Tensor("rotary_dim // 2", dtype="float32"),
    },
    outputs={"y": Tensor("tokens", "heads", "head_dim")},
    seen={
        "GPT-J 6B prefill, 8k tokens": {
            "tokens": 8192, "heads": 16, "head_dim": 256, "rotary_dim": 64, "dtype": "float16",
        },
        "ChatGLM3 6B, 16k tokens": {
            "tokens": 16384, "heads": 32, "head_dim": 128, "rotary_dim": 64, "dtype": "bfloat16",
        },
        "DeepSeek-V3 rotary part, 4k tokens": {
            "tokens": 4096, "heads": 128, "head_dim": 64, "rotary_dim": 64, "dtype": "bfloat16",
        },
        "GPT-J 6B decode, batch 64": {
            "tokens": 64, "heads": 16, "head_dim": 256, "rotary_dim": 64, "dtype": "float16",
        },
        "odd heads, float32": {
            "tokens": 2051, "heads": 11, "head_dim": 110, "rotary_dim": 54, "dtype": "float32",
        },
    },
    smoke={"tokens": 3, "heads": 3, "head_dim": 22, "rotary_dim": 10, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    exponent = torch.linspace(0.0, 1.0, cfg.rotary_dim // 2 + 1)[:-1]
    jitter = draw.uniform(cfg.rotary_dim // 2, dtype="float32", low=0.9, high=1.0)
    return {
        "x": draw.values(cfg.tokens, cfg.heads, cfg.head_dim, dtype=cfg.dtype),
        "positions": draw.integers(cfg.tokens, low=0, high=4096),
        "inv_freq": jitter * (10000.0**-exponent).to(jitter.device),
    }


def reference(x, positions, inv_freq):
    angle = positions.unsqueeze(-1) * inv_freq
    cos, sin = angle.cos().unsqueeze(1), angle.sin().unsqueeze(1)
    rotated, passed = x.split((2 * inv_freq.shape[0], x.shape[-1] - 2 * inv_freq.shape[0]), dim=-1)
    even, odd = rotated[..., 0::2], rotated[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1).flatten(-2)
    return torch.cat((turned.to(x.dtype), passed), dim=-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.tokens * cfg.heads * cfg.head_dim
    turned = cfg.tokens * cfg.heads * cfg.rotary_dim
    return Work(bytes=2 * elements * size + 4 * cfg.tokens + 2 * cfg.rotary_dim, operations=3 * turned)
