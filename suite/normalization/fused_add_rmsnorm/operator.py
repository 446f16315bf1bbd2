"""Residual addition and RMS normalisation in one pass (Zhang and Sennrich, 2019; the fused form of serving engines).

Between any two blocks of a Llama-like model, vLLM and TensorRT-LLM add the block's output to the residual stream in
place and normalise the sum for the next block: residual <- residual + x, y = rmsnorm(residual) * weight. Four streams
move through memory; the sum has to stay in registers or be read again, and the in-place update forbids careless
reordering of loads and stores.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Residual addition and RMS normalisation",
    family="normalization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={"x": Tensor("rows", "cols"), "weight": Tensor("cols"), "eps": Scalar("float32")},
    outputs={"y": Tensor("rows", "cols"), "residual": Tensor("rows", "cols", inout=True)},
    seen={
        "Llama-3 8B prefill, 8k tokens": {"rows": 8192, "cols": 4096, "dtype": "bfloat16"},
        "Llama-3 70B prefill, 8k tokens": {"rows": 8192, "cols": 8192, "dtype": "bfloat16"},
        "Llama-3 8B decode, batch 128": {"rows": 128, "cols": 4096, "dtype": "float16"},
        "Qwen2.5 7B prefill, 16k tokens": {"rows": 16384, "cols": 3584, "dtype": "float16"},
        "odd width, float32": {"rows": 2049, "cols": 5119, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "weight": draw.normal(cfg.cols, dtype=cfg.dtype, mean=1.0, std=0.5),
        "eps": draw.scalar(1e-6, 1e-4),
        "residual": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
    }


def reference(x, weight, eps, residual):
    total = residual + x
    return F.rms_norm(total, (total.shape[-1],), weight, eps), total


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=(4 * elements + cfg.cols) * size, operations=5 * elements)
