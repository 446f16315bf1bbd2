"""Merges partial attention results by their log-sum-exp (FlashInfer's `merge_states`, Ye et al., 2025).

Split-key decoding, shared-prefix (cascade) attention and ring attention all end with it: each state holds the softmax
average over its own keys and the log of its sum, minus infinity where it saw no key. Two exponents and a weighted sum
per element make it bound by memory; rows are short and states few, so it is hard to have enough bytes in flight and not
to compute the weights of a head once for each of its elements.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Merge of attention states",
    family="attention",
    axes={
        "tokens": log_range(1, 65536),
        "states": log_range(2, 64),
        "heads": log_range(1, 128),
        "head_dim": log_range(16, 512),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="tokens * states * heads * head_dim <= 2**27",
    inputs={
        "values": Tensor("tokens", "states", "heads", "head_dim"),
        "lse": Tensor("tokens", "states", "heads", dtype="float32"),
    },
    outputs={"out": Tensor("tokens", "heads", "head_dim"), "lse_out": Tensor("tokens", "heads", dtype="float32")},
    seen={
        "shared prefix, Llama-3 8B, 8k tokens": {
            "tokens": 8192, "states": 2, "heads": 32, "head_dim": 128, "dtype": "bfloat16"},
        "split-key decode, batch 64, 16 splits": {
            "tokens": 64, "states": 16, "heads": 32, "head_dim": 128, "dtype": "float32"},
        "chunked prefill, DeepSeek-V3": {
            "tokens": 4096, "states": 2, "heads": 128, "head_dim": 128, "dtype": "bfloat16"},
        "ring attention over 8 devices": {
            "tokens": 4096, "states": 8, "heads": 16, "head_dim": 64, "dtype": "float16"},
        "odd everywhere": {"tokens": 1001, "states": 5, "heads": 25, "head_dim": 72, "dtype": "float16"},
    },
    smoke={"tokens": 3, "states": 3, "heads": 5, "head_dim": 40, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    lse = draw.values(cfg.tokens, cfg.states, cfg.heads, dtype="float32", scale=2.0)
    # Some states saw no key; the first always did, so that every result is defined.
    empty = draw.uniform(cfg.tokens, cfg.states, cfg.heads, dtype="float32") < 1 / 16
    empty[:, 0] = False
    return {
        "values": draw.values(cfg.tokens, cfg.states, cfg.heads, cfg.head_dim, dtype=cfg.dtype),
        "lse": lse.masked_fill_(empty, float("-inf")),
    }


def reference(values, lse):
    weights = torch.softmax(lse, dim=1)
    out = (values * weights[..., None]).sum(dim=1)
    return out.to(values.dtype), torch.logsumexp(lse, dim=1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    heads = cfg.tokens * cfg.heads
    return Work(
        bytes=heads * (cfg.states + 1) * (cfg.head_dim * size + 4), operations=2 * heads * cfg.states * cfg.head_dim
    )
