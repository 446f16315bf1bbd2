"""Writes new keys and values into a paged cache (PagedAttention, Kwon et al., 2023; vLLM's `reshape_and_cache`).

Runs in every layer of every step of a serving engine, between the projections and the attention. Each token's slot
gives a page and a place within it; -1 marks a padded token, which must not touch the cache. Within a page the heads
come first, so a token's row is cut into pieces that lie far apart: the copies are short, the indices are data, and in a
decode step there is so little to do that every wasted instruction shows.
"""

import torch

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Write into a paged key-value cache",
    family="indexing",
    axes={
        "tokens": log_range(1, 65536),
        "heads": log_range(1, 32),
        "head_dim": log_range(16, 256),
        "pages": log_range(1, 65536),
        "page_size": choice(8, 16, 32, 64),
        "dtype": choice("float16", "bfloat16"),
    },
    constraint="tokens <= pages * page_size and pages * page_size * heads * head_dim <= 2**27",
    inputs={
        "key": Tensor("tokens", "heads", "head_dim"),
        "value": Tensor("tokens", "heads", "head_dim"),
        "slots": Tensor("tokens", dtype="int64"),
    },
    outputs={
        "key_cache": Tensor("pages", "heads", "page_size", "head_dim", rule=Rule.EXACT, inout=True),
        "value_cache": Tensor("pages", "heads", "page_size", "head_dim", rule=Rule.EXACT, inout=True),
    },
    seen={
        "Llama-3 8B prefill, 16k tokens": {
            "tokens": 16384, "heads": 8, "head_dim": 128, "pages": 2048, "page_size": 16, "dtype": "bfloat16"},
        "Llama-3 8B decode, batch 256": {
            "tokens": 256, "heads": 8, "head_dim": 128, "pages": 4096, "page_size": 16, "dtype": "bfloat16"},
        "Llama-2 7B prefill, 8k tokens": {
            "tokens": 8192, "heads": 32, "head_dim": 128, "pages": 512, "page_size": 32, "dtype": "float16"},
        "Gemma 2 2B, wide heads": {
            "tokens": 30000, "heads": 4, "head_dim": 256, "pages": 1024, "page_size": 64, "dtype": "bfloat16"},
        "odd head width": {
            "tokens": 7777, "heads": 5, "head_dim": 80, "pages": 1001, "page_size": 8, "dtype": "float16"},
    },
    smoke={"tokens": 21, "heads": 3, "head_dim": 18, "pages": 5, "page_size": 8, "dtype": "float16"},
)


def make_inputs(cfg, draw):
    slots = draw.permutation(cfg.pages * cfg.page_size, dtype="int64")[: cfg.tokens].clone()
    padding = draw.uniform(cfg.tokens, dtype="float32") < 1 / 16
    new = (cfg.tokens, cfg.heads, cfg.head_dim)
    cache = (cfg.pages, cfg.heads, cfg.page_size, cfg.head_dim)
    return {
        "key": draw.values(*new, dtype=cfg.dtype),
        "value": draw.values(*new, dtype=cfg.dtype),
        "slots": slots.masked_fill_(padding, -1),
        "key_cache": draw.values(*cache, dtype=cfg.dtype),
        "value_cache": draw.values(*cache, dtype=cfg.dtype),
    }


def reference(key, value, slots, key_cache, value_cache):
    tokens = torch.nonzero(slots >= 0).squeeze(1)
    page_size = key_cache.shape[2]
    page, place = slots[tokens] // page_size, slots[tokens] % page_size
    key_cache[page, :, place] = key[tokens]
    value_cache[page, :, place] = value[tokens]
    return key_cache, value_cache


def work(cfg):
    # One token in 16 is padding: five standard deviations fewer than expected are sure to be copied.
    written = max(0, int(cfg.tokens * 15 / 16 - 1.25 * cfg.tokens**0.5))
    return Work(bytes=2 * 2 * 2 * written * cfg.heads * cfg.head_dim + 8 * cfg.tokens)
