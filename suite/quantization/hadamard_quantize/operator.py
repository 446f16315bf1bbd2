"""Hadamard rotation of each row followed by int8 quantisation (QuaRot; Ashkboos et al., 2024, and SpinQuant).

Rotating activations by a Hadamard matrix spreads outliers over all channels, so that 4 and 8-bit quantisation loses
little; it runs online before the down projection and on queries and keys. The fast transform does log2(cols) rounds of
sums and differences with partners ever farther apart: rounds inside a thread are free, rounds inside a wavefront are
shuffles, the rest goes through LDS with barriers; then the row's maximum is needed before anything is written.

With h the unnormalised transform (Sylvester's order), s is the smallest power of two with amax(|h|) <= 127 * s (1 for
a row of zeros), q = h / s rounded to the nearest integer, ties to even, and scale = s / sqrt(cols) is what q has to be
multiplied with. Inputs are multiples of 1/16 of magnitude at most 127/16: all of them and all partial sums of h are
exact in float32 in any order (20 significant bits at most), hence the integers are exact and compared for equality.
"""

import math

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Hadamard rotation and int8 quantisation",
    family="quantization",
    axes={
        "rows": log_range(1, 262144),
        "cols": choice(64, 128, 256, 512, 1024, 2048, 4096, 8192),
        "dtype": choice("float16", "bfloat16", "float32"),
    },
    constraint="rows * cols <= 2**26",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"q": Tensor("rows", "cols", dtype="int8"), "scale": Tensor("rows", dtype="float32")},
    seen={
        "Llama-2 7B hidden state, 8k tokens": {"rows": 8192, "cols": 4096, "dtype": "float16"},
        "Llama-3 70B hidden state, 8k tokens": {"rows": 8192, "cols": 8192, "dtype": "bfloat16"},
        "query heads, 8k tokens": {"rows": 262144, "cols": 128, "dtype": "bfloat16"},
        "Llama-2 7B decode, batch 64": {"rows": 64, "cols": 4096, "dtype": "float16"},
        "odd rows, float32": {"rows": 5001, "cols": 1024, "dtype": "float32"},
    },
    smoke={"rows": 3, "cols": 64, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    sixteenths = draw.values(cfg.rows, cfg.cols, dtype="float32", scale=16.0).round_().clamp_(-127, 127)
    return {"x": sixteenths.div_(16.0).to(getattr(torch, cfg.dtype))}


def reference(x):
    rows, cols = x.shape
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    distance = 1
    while distance < cols:
        first, second = h.view(rows, -1, 2, distance).unbind(2)
        h = torch.stack((first + second, first - second), dim=2)
        distance *= 2
    h = h.view(rows, cols)
    amax = h.abs().amax(dim=-1, keepdim=True)
    mantissa, _ = torch.frexp(amax)
    # amax = mantissa * 2**e with mantissa in [1/2, 1): amax <= 127 * 2**(e - 7) exactly if mantissa <= 127/128.
    scale = torch.where(mantissa <= 127 / 128, 2.0**-7, 2.0**-6) * (amax / mantissa)
    scale = torch.where(amax > 0, scale, torch.ones_like(scale))
    return torch.round(h / scale).to(torch.int8), scale.squeeze(-1) / math.sqrt(cols)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    rounds = cfg.cols.bit_length() - 1
    return Work(bytes=elements * (size + 1) + 4 * cfg.rows, operations=elements * (rounds + 2))
