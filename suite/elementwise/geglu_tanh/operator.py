"""GEGLU with the tanh form of GELU (Shazeer, 2020): y = gelu_tanh(gate) * up, both halves of one projection.

The feed-forward layers of Gemma and T5 v1.1 apply it between their two matrix products. A fused projection leaves gate
and up side by side in one row, so two streams are read for one written and the wide accesses of a row with an odd
width are not aligned; tanh costs enough that special-function throughput competes with memory in half precision.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="GEGLU, tanh form",
    family="elementwise",
    axes={
        "rows": log_range(1, 65536),
        "hidden": log_range(16, 65536),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * hidden <= 2**27",
    inputs={"x": Tensor("rows", "2 * hidden")},
    outputs={"y": Tensor("rows", "hidden")},
    seen={
        "Gemma-2 9B prefill, 4k tokens": {"rows": 4096, "hidden": 14336, "dtype": "bfloat16"},
        "Gemma-2 9B decode, batch 64": {"rows": 64, "hidden": 14336, "dtype": "bfloat16"},
        "T5-XXL encoder, 16k tokens": {"rows": 16384, "hidden": 2560, "dtype": "float16"},
        "Gemma 7B, 1k tokens": {"rows": 1024, "hidden": 24576, "dtype": "bfloat16"},
        "odd width, float32": {"rows": 2047, "hidden": 5461, "dtype": "float32"},
    },
    smoke={"rows": 5, "hidden": 35, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    # Half of unit scale: the product of two wide values stays finite in float16.
    return {"x": draw.values(cfg.rows, 2 * cfg.hidden, dtype=cfg.dtype, scale=0.5)}


def reference(x):
    gate, up = x.chunk(2, dim=-1)
    return F.gelu(gate, approximate="tanh") * up


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.hidden
    return Work(bytes=3 * elements * size, operations=10 * elements)
