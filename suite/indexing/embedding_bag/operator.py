"""Weighted sum of embedding rows per bag (`torch.nn.functional.embedding_bag`, mode "sum").

The sparse half of a recommendation model (DLRM, Naumov et al., 2019): each example looks up a varying number of rows in
tables far larger than any cache and adds them with weights. Rows lie anywhere, bags are of unequal length and some are
empty, so it is hard to keep enough loads in flight, to balance long bags against short ones, and to load a row in wide
pieces at every width.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Weighted embedding bag",
    family="indexing",
    axes={
        "entries": log_range(2, 2**24),
        "dim": log_range(4, 1024),
        "bags": log_range(1, 131072),
        "total": log_range(1, 2**22),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="entries * dim <= 2**28 and bags * dim <= 2**26 and total * dim <= 2**29",
    inputs={
        "table": Tensor("entries", "dim"),
        "indices": Tensor("total", dtype="int32"),
        "offsets": Tensor("bags + 1", dtype="int32"),
        "weights": Tensor("total"),
    },
    outputs={"out": Tensor("bags", "dim")},
    seen={
        "DLRM, 64-wide, 16k examples": {
            "entries": 4000000, "dim": 64, "bags": 16384, "total": 327680, "dtype": "float32"},
        "DLRM, 128-wide, long histories": {
            "entries": 2000000, "dim": 128, "bags": 8192, "total": 819200, "dtype": "float16"},
        "word n-grams, fastText": {"entries": 2000000, "dim": 100, "bags": 32768, "total": 1310720, "dtype": "float32"},
        "few long bags": {"entries": 500000, "dim": 256, "bags": 48, "total": 200000, "dtype": "bfloat16"},
        "odd width, small batch": {"entries": 100003, "dim": 75, "bags": 513, "total": 6007, "dtype": "float16"},
    },
    smoke={"entries": 50, "dim": 19, "bags": 7, "total": 41, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "table": draw.values(cfg.entries, cfg.dim, dtype=cfg.dtype),
        "indices": draw.integers(cfg.total, low=0, high=cfg.entries),
        "offsets": draw.offsets(cfg.bags, cfg.total),
        "weights": draw.uniform(cfg.total, dtype=cfg.dtype, low=0.25, high=1.75),
    }


def reference(table, indices, offsets, weights):
    return F.embedding_bag(
        indices, table, offsets, mode="sum", per_sample_weights=weights, include_last_offset=True
    )


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    # A row that is looked up twice need be read once: count distinct rows, six standard deviations below the mean.
    distinct = cfg.entries * (1.0 - (1.0 - 1.0 / cfg.entries) ** cfg.total)
    rows = max(1, int(distinct - 6.0 * distinct**0.5))
    elements = (rows + cfg.bags) * cfg.dim + cfg.total
    return Work(bytes=elements * size + 4 * (cfg.total + cfg.bags + 1), operations=2 * cfg.total * cfg.dim)
