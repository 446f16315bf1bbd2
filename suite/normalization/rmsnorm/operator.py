"""Root-mean-square normalisation over the last axis (Zhang and Sennrich, 2019).

Every Llama, Mistral and Qwen layer runs it twice. It moves each element once in and once out and does little
arithmetic, so it is bound by memory: the difficulty is to read a row once, keep it in registers between the reduction
and the scaling, and still fill the machine when rows are few and long or many and short.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="RMS normalisation",
    family="normalization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols"), "weight": Tensor("cols"), "eps": Scalar("float32")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "Llama-3 8B prefill, 4k tokens": {"rows": 4096, "cols": 4096, "dtype": "bfloat16"},
        "Llama-3 8B decode, batch 64": {"rows": 64, "cols": 4096, "dtype": "float16"},
        "Llama-3 70B prefill, 8k tokens": {"rows": 8192, "cols": 8192, "dtype": "bfloat16"},
        "Qwen3 per-head query norm": {"rows": 131072, "cols": 128, "dtype": "bfloat16"},
        "odd width, float32": {"rows": 2049, "cols": 5120, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "weight": draw.normal(cfg.cols, dtype=cfg.dtype, mean=1.0, std=0.5),
        "eps": draw.scalar(1e-6, 1e-4),
    }


def reference(x, weight, eps):
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=(2 * elements + cfg.cols) * size, operations=4 * elements)
