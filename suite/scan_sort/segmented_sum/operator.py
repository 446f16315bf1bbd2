"""Sum over each segment of a ragged array (`torch.segment_reduce`; segmented reduction, Sengupta et al., 2007).

Per-sequence losses of packed batches, per-node sums of a graph in CSR order and per-query scores of a ranking loss are
segmented sums. Lengths range from zero to a large part of the array within one call, so neither a thread, a wave nor a
block per segment is right for all: balancing by elements needs a search for boundaries and a way to join the pieces.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, log_range

OPERATOR = Operator(
    title="Segmented sum",
    family="scan_sort",
    axes={"total": log_range(1, 2**27), "segments": log_range(1, 2**22)},
    inputs={"x": Tensor("total", dtype="float32"), "offsets": Tensor("segments + 1", dtype="int32")},
    outputs={"sums": Tensor("segments", dtype="float32")},
    seen={
        "ogbn-products edge weights": {"total": 61859140, "segments": 2449029},
        "token losses of packed sequences": {"total": 2**20, "segments": 1500},
        "few huge segments": {"total": 50000000, "segments": 20},
        "click logs by user": {"total": 20000000, "segments": 1000000},
        "odd, mostly empty": {"total": 99991, "segments": 300007},
    },
    smoke={"total": 1501, "segments": 13},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.total, dtype="float32"),
        "offsets": draw.offsets(cfg.segments, cfg.total, skew=2.0),
    }


def reference(x, offsets):
    return torch.segment_reduce(x, "sum", offsets=offsets, initial=0)


def work(cfg):
    return Work(bytes=4 * (cfg.total + 2 * cfg.segments + 1), operations=cfg.total)
