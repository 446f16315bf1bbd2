"""Mean over the tokens of each sequence that a mask selects (mean pooling of Sentence-BERT; Reimers, Gurevych, 2019).

Embedding models (Sentence-BERT, E5, BGE) turn hidden states into one vector for each text this way. Sequences are
padded to a common length with far shorter ones among them, so much of the input need not be read at all; the
reduction runs along the middle axis, batches are small, and the work for each sequence varies with its length.
y = sum of x over selected tokens / max(number selected, 1): a sequence without any gives zeros.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Masked mean over tokens",
    family="reduction",
    axes={
        "batch": log_range(1, 4096),
        "tokens": log_range(1, 32768),
        "hidden": log_range(16, 8192),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="batch * tokens * hidden <= 2**28",
    inputs={"x": Tensor("batch", "tokens", "hidden"), "mask": Tensor("batch", "tokens", dtype="uint8")},
    outputs={"y": Tensor("batch", "hidden", dtype="float32")},
    seen={
        "BGE-large, 512 texts of 512": {"batch": 512, "tokens": 512, "hidden": 1024, "dtype": "float16"},
        "MiniLM, 1024 sentences of 128": {"batch": 1024, "tokens": 128, "hidden": 384, "dtype": "float32"},
        "E5-Mistral, 4 documents of 4k": {"batch": 4, "tokens": 4096, "hidden": 4096, "dtype": "bfloat16"},
        "GTE-base, 32 documents of 4k": {"batch": 32, "tokens": 4096, "hidden": 768, "dtype": "float16"},
        "odd sizes": {"batch": 33, "tokens": 301, "hidden": 1001, "dtype": "float32"},
    },
    smoke={"batch": 3, "tokens": 19, "hidden": 37, "dtype": "float32"},
)


def lengths(order, batch, tokens):
    """Length of the sequence of rank `order`: from half of the tokens to all; the last rank of several is empty."""
    return (tokens - order * (tokens // 2) // batch) * (1 - (order + 1) // batch * min(batch - 1, 1))


def make_inputs(cfg, draw):
    length = lengths(draw.permutation(cfg.batch, dtype="int64"), cfg.batch, cfg.tokens).unsqueeze(1)
    position = torch.arange(cfg.tokens, device=length.device)
    # Every eighth token is masked inside the sequences as well: a mask is more than a length.
    hole = (position + draw.integers(cfg.batch, 1, low=0, high=8)) % 8 == 0
    return {
        "x": draw.values(cfg.batch, cfg.tokens, cfg.hidden, dtype=cfg.dtype),
        "mask": ((position < length) & ~hole).to(torch.uint8),
    }


def reference(x, mask):
    weight = mask.to(torch.promote_types(x.dtype, torch.float32))
    count = weight.sum(dim=1, keepdim=True).clamp_min(1.0)
    return (x * weight.unsqueeze(-1)).sum(dim=1) / count


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    # Only selected tokens have to be read; at most one in eight, rounded up, is masked inside a sequence.
    inside = [lengths(order, cfg.batch, cfg.tokens) for order in range(cfg.batch)]
    read = sum(length - -(-length // 8) for length in inside) * cfg.hidden
    return Work(bytes=read * size + cfg.batch * cfg.tokens + 4 * cfg.batch * cfg.hidden, operations=read)
