"""Scales the rows of a matrix: y[r, c] = x[r, c] * factor[r].

Small on purpose: all seen configurations are float32, short, and multiples of 8, so a submission can be right on every
one of them and wrong elsewhere. The submissions beside this suite are.
"""

from agentkernelarena.task import Operator, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row scaling",
    family="elementwise",
    axes={"rows": log_range(1, 4096), "cols": log_range(8, 4096), "dtype": choice("float32", "float16")},
    inputs={"x": Tensor("rows", "cols"), "factor": Tensor("rows")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "short rows": {"rows": 32, "cols": 64, "dtype": "float32"},
        "long rows": {"rows": 16, "cols": 128, "dtype": "float32"},
    },
    smoke={"rows": 8, "cols": 32, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype),
        "factor": draw.normal(cfg.rows, dtype=cfg.dtype, mean=1.0, std=0.5),
    }


def reference(x, factor):
    return x * factor[:, None]


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=(2 * cfg.rows * cfg.cols + cfg.rows) * size, operations=cfg.rows * cfg.cols)
