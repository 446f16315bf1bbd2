"""Gathers rows by index and scales each: out[i] = scale[i] * table[index[i]], zero rows where the index is -1.

Mixture-of-experts layers build the padded input of their experts and combine it again in this way (MegaBlocks, Gale et
al., 2023), speculative decoding and retrieval select hidden states with it. Reads are scattered by row and writes are
not; to run at memory speed it needs wide accesses within rows of any width, enough rows in flight, and no reads at all
for padding.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Scaled gather of rows",
    family="indexing",
    axes={
        "rows": log_range(1, 2**22),
        "count": log_range(1, 2**22),
        "dim": log_range(1, 16384),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * dim <= 2**28 and count * dim <= 2**28",
    inputs={
        "table": Tensor("rows", "dim"),
        "index": Tensor("count", dtype="int32"),
        "scale": Tensor("count", dtype="float32"),
    },
    outputs={"out": Tensor("count", "dim")},
    seen={
        "Mixtral 8x7B dispatch, 4k tokens, top 2": {"rows": 4096, "count": 8704, "dim": 4096, "dtype": "bfloat16"},
        "DeepSeek-V3 dispatch, 2k tokens, top 8": {"rows": 2048, "count": 18432, "dim": 7168, "dtype": "bfloat16"},
        "node features of a sampled subgraph": {"rows": 2449029, "count": 400000, "dim": 100, "dtype": "float32"},
        "accepted draft tokens": {"rows": 512, "count": 96, "dim": 5120, "dtype": "float16"},
        "odd width": {"rows": 20011, "count": 50021, "dim": 333, "dtype": "float16"},
    },
    smoke={"rows": 13, "count": 29, "dim": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    index = draw.integers(cfg.count, low=0, high=cfg.rows)
    padding = draw.uniform(cfg.count, dtype="float32") < 1 / 16
    return {
        "table": draw.values(cfg.rows, cfg.dim, dtype=cfg.dtype),
        "index": index.masked_fill_(padding, -1),
        "scale": draw.uniform(cfg.count, dtype="float32", low=0.1, high=1.9),
    }


def reference(table, index, scale):
    rows = table.index_select(0, index.clamp(min=0))
    scale = torch.where(index >= 0, scale, 0.0)
    return (rows * scale[:, None]).to(table.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    # One index in 16 is padding; of the others count distinct rows, six standard deviations below the mean.
    used = max(0.0, cfg.count * 15 / 16 - 2.0 * cfg.count**0.5)
    distinct = cfg.rows * (1.0 - (1.0 - 1.0 / cfg.rows) ** used)
    rows = max(0, int(distinct - 6.0 * distinct**0.5))
    return Work(bytes=(rows + cfg.count) * cfg.dim * size + 8 * cfg.count, operations=int(used) * cfg.dim)
