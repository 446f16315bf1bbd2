"""Batched matrix product C_i = A_i B_i (`torch.bmm`; batched BLAS, Dongarra et al., 2017).

Attention written out as products, bilinear layers, per-frequency mixing in Fourier neural operators and block-diagonal
solvers use it, with thousands of small matrices as often as with few large ones. Small matrices waste tiles of a fixed
size and are bound by memory or launch order, large ones by the matrix units: no single tiling is good at both.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Batched matrix product",
    family="gemm",
    axes={
        "batch": log_range(1, 16384),
        "m": log_range(1, 4096),
        "n": log_range(1, 4096),
        "k": log_range(1, 4096),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="batch * m * n * k <= 2**36 and batch * m * n <= 2**27 and batch * m * k <= 2**27 "
    "and batch * n * k <= 2**27",
    inputs={"a": Tensor("batch", "m", "k"), "b": Tensor("batch", "k", "n")},
    outputs={"c": Tensor("batch", "m", "n")},
    seen={
        "attention weights times values, 96 heads": {"batch": 96, "m": 1024, "n": 64, "k": 1024, "dtype": "float16"},
        "AlphaFold triangle product, 128 channels": {"batch": 128, "m": 384, "n": 384, "k": 384, "dtype": "bfloat16"},
        "block-diagonal solver, 33 x 33": {"batch": 10000, "m": 33, "n": 33, "k": 33, "dtype": "float32"},
        "Fourier operator, one matrix per mode": {"batch": 4096, "m": 16, "n": 128, "k": 128, "dtype": "float32"},
        "two large, odd": {"batch": 2, "m": 2047, "n": 1999, "k": 2049, "dtype": "float16"},
    },
    smoke={"batch": 3, "m": 37, "n": 41, "k": 29, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "a": draw.values(cfg.batch, cfg.m, cfg.k, dtype=cfg.dtype),
        "b": draw.values(cfg.batch, cfg.k, cfg.n, dtype=cfg.dtype, scale=cfg.k**-0.5),
    }


def reference(a, b):
    return torch.bmm(a, b)


def work(cfg):
    wide = cfg.dtype == "float32"
    elements = cfg.batch * (cfg.m * cfg.k + cfg.k * cfg.n + cfg.m * cfg.n)
    operations = 2 * cfg.batch * cfg.m * cfg.n * cfg.k
    # float32 accuracy can be had on matrix units from no fewer than three half-precision products.
    return Work(
        bytes=elements * (4 if wide else 2),
        operations=3 * operations if wide else operations,
        rate="float16" if wide else cfg.dtype,
    )
