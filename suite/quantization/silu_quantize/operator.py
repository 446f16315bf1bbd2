"""SwiGLU followed by int8 quantisation with one scale for each row (the fused activation of W8A8 serving).

Between the gate-and-up projection and the down projection of a Llama-like block, int8 engines (vLLM, TensorRT-LLM)
compute v = silu(gate) * up and quantise it for the next matrix product: scale = max(amax(|v|), 1e-8) / 127 over the
row, q = v / scale rounded to the nearest integer. The scale needs the whole row before the first byte can be written:
either v is computed twice, with its exponentials, or kept in registers or LDS; rows have 14 thousand elements.

The integers are compared for equality, which is fair to every kernel that computes in float32: inputs are drawn such
that the exact quotient v / scale keeps a distance of 1/256 from every half-integer, about a hundred times the rounding
error of a careful float32 evaluation (up is moved away for the few elements that come closer).
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="SwiGLU with row-wise int8 quantisation",
    family="quantization",
    axes={
        "rows": log_range(1, 65536),
        "hidden": log_range(16, 32768),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * hidden <= 2**27",
    inputs={"x": Tensor("rows", "2 * hidden")},
    outputs={"q": Tensor("rows", "hidden", dtype="int8"), "scale": Tensor("rows", dtype="float32")},
    seen={
        "Llama-3 8B prefill, 4k tokens": {"rows": 4096, "hidden": 14336, "dtype": "bfloat16"},
        "Llama-3 8B decode, batch 128": {"rows": 128, "hidden": 14336, "dtype": "float16"},
        "Llama-2 7B prefill, 8k tokens": {"rows": 8192, "hidden": 11008, "dtype": "float16"},
        "Qwen3 MoE experts, 32k tokens": {"rows": 32768, "hidden": 768, "dtype": "bfloat16"},
        "odd width, float32": {"rows": 2049, "hidden": 3001, "dtype": "float32"},
    },
    smoke={"rows": 5, "hidden": 35, "dtype": "float32"},
)


def activation(x):
    gate, up = x.chunk(2, dim=-1)
    return F.silu(gate) * up


def row_scale(v):
    return v.abs().amax(dim=-1, keepdim=True).clamp_min(1e-8) / 127.0


def make_inputs(cfg, draw):
    x = draw.values(cfg.rows, 2 * cfg.hidden, dtype=cfg.dtype, scale=0.5)
    up = x[:, cfg.hidden :]
    # Largest magnitudes have the quotient 127 and are never moved, so every scale stays as it is.
    for factor in (0.75, 0.75, 0.75, 0.0):
        v = activation(x.to(torch.float64))
        quotient = v.div_(row_scale(v))
        close = quotient.sub_(quotient.floor()).sub_(0.5).abs_() < 1 / 256
        up.copy_(torch.where(close, up * factor, up))
    return {"x": x}


def reference(x):
    v = activation(x.to(torch.promote_types(x.dtype, torch.float32)))
    scale = row_scale(v)
    return torch.round(v / scale).to(torch.int8), scale.squeeze(-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.hidden
    return Work(bytes=elements * (2 * size + 1) + 4 * cfg.rows, operations=7 * elements)
