"""Index and value of the largest element of each row; the first one where several are equal (torch.argmax).

Greedy decoding takes it over the vocabulary of every sequence, routers and classifiers over experts and classes. The
index has to travel with the value through every step of the reduction, and equal values (common in half precision)
must resolve to the smallest index whatever the order of the reduction. One decode batch has few rows of 128 thousand
columns, so one group of threads for each row leaves most of the machine idle.

Both outputs are exact: a maximum involves no rounding. Rows hold no NaN.
"""

import torch

from agentkernelarena.task import Operator, Rule, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Row-wise argmax",
    family="reduction",
    axes={
        "rows": log_range(1, 131072),
        "cols": log_range(4, 524288),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**28",
    inputs={"x": Tensor("rows", "cols")},
    outputs={"index": Tensor("rows", dtype="int64"), "value": Tensor("rows", rule=Rule.EXACT)},
    seen={
        "Llama-3 greedy decode, batch 64": {"rows": 64, "cols": 128256, "dtype": "bfloat16"},
        "Gemma-2 greedy scoring, 1k tokens": {"rows": 1024, "cols": 256000, "dtype": "bfloat16"},
        "GPT-2 greedy decode, one sequence": {"rows": 1, "cols": 50257, "dtype": "float32"},
        "ImageNet labels, 50k images": {"rows": 50000, "cols": 1000, "dtype": "float16"},
        "odd rows, float32": {"rows": 4099, "cols": 8191, "dtype": "float32"},
    },
    smoke={"rows": 5, "cols": 333, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {"x": draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)}


def reference(x):
    index = torch.argmax(x, dim=-1)
    return index, torch.gather(x, -1, index.unsqueeze(-1)).squeeze(-1)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=cfg.rows * cfg.cols * size + cfg.rows * (8 + size), operations=cfg.rows * cfg.cols)
