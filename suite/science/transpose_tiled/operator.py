"""Batched matrix transposition through tiles in shared memory (Ruetsch and Micikevicius, 2009).

Layout changes between library calls (NCHW to NHWC, batch-first to head-first, the exchange step of a multi-dimensional
FFT) are this and nothing else. No arithmetic hides the traffic: reads and writes have both to be wide and contiguous,
the tile has to avoid bank conflicts, and two-byte elements and thin matrices make each of these harder.
"""

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Batched transposition",
    family="science",
    axes={
        "batch": log_range(1, 8192),
        "rows": log_range(1, 65536),
        "cols": log_range(1, 65536),
        "dtype": choice("float32", "float16"),
    },
    constraint="batch * rows * cols <= 2**28",
    inputs={"x": Tensor("batch", "rows", "cols")},
    outputs={"y": Tensor("batch", "cols", "rows", rule=Rule.EXACT)},
    seen={
        "square, 8192": {"batch": 1, "rows": 8192, "cols": 8192, "dtype": "float32"},
        "NCHW to NHWC, ResNet stage 1, batch 128": {"batch": 128, "rows": 64, "cols": 3136, "dtype": "float16"},
        "attention heads, 8k tokens by 32 heads": {"batch": 8192, "rows": 32, "cols": 128, "dtype": "float16"},
        "thin: 3-channel pixels": {"batch": 1, "rows": 3, "cols": 65536, "dtype": "float32"},
        "odd, half precision": {"batch": 5, "rows": 1531, "cols": 3067, "dtype": "float16"},
    },
    smoke={"batch": 2, "rows": 37, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.batch, cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    return x.transpose(1, 2).contiguous()


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=2 * cfg.batch * cfg.rows * cfg.cols * size)
