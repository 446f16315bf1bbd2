"""Matrix product C = A B in float32, all row-major (level-3 BLAS `sgemm`; Dongarra et al., 1990).

Scientific codes, optimisers with preconditioners (Shampoo, Muon in float32) and numerically sensitive layers need it at
full precision: rounding the operands to TF32 is outside the error bound. It is hard to make fast because both levels of
tiling, registers and shared memory, have to be balanced for shapes that are seldom multiples of a tile, and because
flat or deep shapes leave most of the machine idle unless the inner dimension is split.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, log_range

OPERATOR = Operator(
    title="Matrix product, float32",
    family="gemm",
    axes={"m": log_range(1, 16384), "n": log_range(1, 16384), "k": log_range(1, 16384)},
    constraint="m * n * k <= 2**36 and m * n <= 2**26 and m * k <= 2**26 and n * k <= 2**26",
    inputs={"a": Tensor("m", "k", dtype="float32"), "b": Tensor("k", "n", dtype="float32")},
    outputs={"c": Tensor("m", "n", dtype="float32")},
    seen={
        "square, 2048": {"m": 2048, "n": 2048, "k": 2048},
        "Muon step, 4096 x 4096 momentum": {"m": 4096, "n": 4096, "k": 4096},
        "Shampoo preconditioner, 1024 x 1024": {"m": 1024, "n": 1024, "k": 4096},
        "deep inner dimension": {"m": 256, "n": 320, "k": 16384},
        "odd everywhere": {"m": 1537, "n": 1033, "k": 771},
    },
    smoke={"m": 37, "n": 45, "k": 29},
)


def make_inputs(cfg, draw):
    return {
        "a": draw.values(cfg.m, cfg.k, dtype="float32"),
        "b": draw.values(cfg.k, cfg.n, dtype="float32", scale=0.5),
    }


def reference(a, b):
    return torch.matmul(a, b)


def work(cfg):
    # Matrix units can reach float32 accuracy by splitting operands: two half-precision pieces hold 22 bits, and a
    # product of two such pairs takes at least three half-precision products. This is the floor, not the float32 peak.
    return Work(
        bytes=4 * (cfg.m * cfg.k + cfg.k * cfg.n + cfg.m * cfg.n),
        operations=3 * 2 * cfg.m * cfg.n * cfg.k,
        rate="float16",
    )
