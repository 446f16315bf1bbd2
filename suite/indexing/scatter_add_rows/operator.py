"""Adds rows to rows chosen by an index (`torch.Tensor.index_add_` along the first axis).

The aggregation step of message passing (PyTorch Geometric, Fey and Lenssen, 2019) and the backward pass of every
embedding. Targets repeat, so additions to the same row collide: plain atomics serialise on popular rows and move one
element at a time, sorting first costs a pass of its own, and float sums may come in any order.
"""

from agentkernelarena.task import Operator, Tensor, Work, log_range

OPERATOR = Operator(
    title="Scatter-add of rows",
    family="indexing",
    axes={"rows": log_range(1, 2**22), "count": log_range(1, 2**23), "dim": log_range(1, 2048)},
    constraint="rows * dim <= 2**27 and count * dim <= 2**27",
    inputs={"source": Tensor("count", "dim", dtype="float32"), "index": Tensor("count", dtype="int32")},
    outputs={"out": Tensor("rows", "dim", dtype="float32", inout=True)},
    seen={
        "ogbn-arxiv, 1.2 M edges": {"rows": 169343, "count": 1166243, "dim": 64},
        "embedding gradient, Llama-2 vocabulary": {"rows": 32000, "count": 16384, "dim": 2048},
        "molecular graphs, batch of 512": {"rows": 12800, "count": 27600, "dim": 128},
        "few popular rows": {"rows": 100, "count": 200000, "dim": 256},
        "odd width": {"rows": 70001, "count": 500009, "dim": 37},
    },
    smoke={"rows": 11, "count": 73, "dim": 19},
)


def make_inputs(cfg, draw):
    return {
        "source": draw.values(cfg.count, cfg.dim, dtype="float32"),
        "index": draw.integers(cfg.count, low=0, high=cfg.rows),
        "out": draw.values(cfg.rows, cfg.dim, dtype="float32"),
    }


def reference(source, index, out):
    return out.index_add_(0, index, source)


def work(cfg):
    # Only rows that are hit are read and written: count distinct ones, six standard deviations below the mean.
    distinct = cfg.rows * (1.0 - (1.0 - 1.0 / cfg.rows) ** cfg.count)
    rows = max(1, int(distinct - 6.0 * distinct**0.5))
    return Work(bytes=4 * ((cfg.count + 2 * rows) * cfg.dim + cfg.count), operations=cfg.count * cfg.dim)
