"""Symmetric int8 quantisation with one power-of-two scale for each row (dynamic per-token activation quantisation).

int8 matrix products (LLM.int8, SmoothQuant, W8A8 serving) quantise the activations before every linear layer. The
scale is a power of two, as in the MXINT8 format of the OCP microscaling specification and on shift-only accelerators.
The largest magnitude of a row has to be known before its first element can be written: a fast kernel reads the row
once, keeps it in registers, reduces, and writes packed bytes.

The scale of a row is the smallest power of two with amax <= 127 * scale (1 for a row of zeros), and an element becomes
x / scale rounded to the nearest integer, ties to even. Division by a power of two does not round and the scale follows
from the exponent and mantissa of amax, so both outputs are exact in float32 and the comparison is for equality.
"""

import torch

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row-wise int8 quantisation, power-of-two scales",
    family="quantization",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(16, 65536),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"q": Tensor("rows", "cols", dtype="int8"), "scale": Tensor("rows", dtype="float32", rule=Rule.EXACT)},
    seen={
        "Llama-3 8B prefill, 8k tokens": {"rows": 8192, "cols": 4096, "dtype": "bfloat16"},
        "Llama-3 8B down projection, 8k tokens": {"rows": 8192, "cols": 14336, "dtype": "bfloat16"},
        "Llama-3 70B decode, batch 128": {"rows": 128, "cols": 8192, "dtype": "float16"},
        "BERT-base, 64 sequences of 512": {"rows": 32768, "cols": 768, "dtype": "float16"},
        "odd width, float32": {"rows": 2049, "cols": 5001, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 70, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    amax = x.abs().amax(dim=-1, keepdim=True)
    mantissa, _ = torch.frexp(amax)
    # amax = mantissa * 2**e with mantissa in [1/2, 1): amax <= 127 * 2**(e - 7) exactly if mantissa <= 127/128.
    scale = torch.where(mantissa <= 127 / 128, 2.0**-7, 2.0**-6) * (amax / mantissa)
    scale = torch.where(amax > 0, scale, torch.ones_like(scale))
    return torch.round(x / scale).to(torch.int8), scale.squeeze(-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=elements * (size + 1) + 4 * cfg.rows, operations=2 * elements)
