"""Product of two tall and skinny matrices, C = A^T B, with a very long inner dimension (Demmel et al., 2012).

Gram and covariance matrices: PCA, Cholesky QR, block Krylov solvers, randomised SVD, linear probes fitted in closed
form. The output is tiny and the sum runs over millions of rows, so a decomposition by output tiles leaves the machine
idle: the rows have to be split over all compute units and the partial products combined, while both operands stream
through at memory speed.
"""

import torch

from agentkernelarena.task import Operator, Tensor, Work, log_range

OPERATOR = Operator(
    title="Tall and skinny matrix product",
    family="gemm",
    axes={"rows": log_range(64, 2**22), "m": log_range(1, 256), "n": log_range(1, 256)},
    constraint="rows * (m + n) <= 2**28 and rows * m * n <= 2**35",
    inputs={"a": Tensor("rows", "m", dtype="float32"), "b": Tensor("rows", "n", dtype="float32")},
    outputs={"c": Tensor("m", "n", dtype="float32")},
    seen={
        "Cholesky QR, 1 M rows by 64": {"rows": 2**20, "m": 64, "n": 64},
        "PCA of 768-dimensional features, one block": {"rows": 100000, "m": 256, "n": 256},
        "block Krylov, 16 vectors": {"rows": 2**22, "m": 16, "n": 16},
        "linear probe, 10 classes": {"rows": 60000, "m": 200, "n": 10},
        "odd everywhere": {"rows": 777777, "m": 37, "n": 91},
    },
    smoke={"rows": 1100, "m": 37, "n": 19},
)


def make_inputs(cfg, draw):
    return {
        "a": draw.values(cfg.rows, cfg.m, dtype="float32"),
        "b": draw.values(cfg.rows, cfg.n, dtype="float32"),
    }


def reference(a, b):
    return torch.matmul(a.T, b)


def work(cfg):
    # float32 accuracy can be had on matrix units from no fewer than three half-precision products.
    return Work(
        bytes=4 * (cfg.rows * (cfg.m + cfg.n) + cfg.m * cfg.n),
        operations=3 * 2 * cfg.rows * cfg.m * cfg.n,
        rate="float16",
    )
