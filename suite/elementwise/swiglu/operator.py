"""SwiGLU: y = silu(gate) * up, with gate and up side by side in one tensor (Shazeer, 2020).

The feed-forward layer of Llama, Mistral, Qwen and DeepSeek applies it to the output of its fused gate and up
projection, so a row holds the columns of the gate and then those of up (the layout of vLLM's `silu_and_mul`). It reads
two elements for each that it writes and is bound by memory: the difficulty is wide loads from both halves at widths
that need not be multiples of a vector, and enough work in flight when tokens are few.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="SwiGLU activation",
    family="elementwise",
    axes={
        "rows": log_range(1, 65536),
        "cols": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={"x": Tensor("rows", "2 * cols")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "Llama-3 8B prefill, 4k tokens": {"rows": 4096, "cols": 14336, "dtype": "bfloat16"},
        "Llama-3 8B decode, batch 32": {"rows": 32, "cols": 14336, "dtype": "bfloat16"},
        "Llama-2 7B prefill, 2k tokens": {"rows": 2048, "cols": 11008, "dtype": "float16"},
        "DeepSeek-V3 experts, 32k token slots": {"rows": 32768, "cols": 2048, "dtype": "bfloat16"},
        "odd width, float32": {"rows": 3001, "cols": 6827, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, 2 * cfg.cols, dtype=cfg.dtype)}


def reference(x):
    gate, up = x.chunk(2, dim=-1)
    return F.silu(gate) * up


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=3 * elements * size, operations=4 * elements)
