"""Euclidean normalisation of each row: y = x / max(||x||, eps) (torch.nn.functional.normalize).

Embedding models (CLIP, SimCLR, sentence encoders) normalise their outputs before every similarity, vector databases
whole tables at load time, and cosine attention each head's queries and keys. Rows are short (64 to 4096) and there are
many of them, so one group of threads for each row spends more on the reduction than on the memory traffic: several rows
have to share a group, and a row should be read once.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Euclidean normalisation of rows",
    family="normalization",
    axes={
        "rows": log_range(1, 1048576),
        "cols": log_range(8, 16384),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * cols <= 2**27",
    inputs={"x": Tensor("rows", "cols"), "eps": Scalar("float32")},
    outputs={"y": Tensor("rows", "cols")},
    seen={
        "CLIP ViT-L/14 embeddings, batch 32k": {"rows": 32768, "cols": 768, "dtype": "float16"},
        "vector table, 1M rows of 96": {"rows": 1000000, "cols": 96, "dtype": "float32"},
        "cosine attention heads, 8k tokens": {"rows": 262144, "cols": 128, "dtype": "bfloat16"},
        "E5-Mistral query batch": {"rows": 64, "cols": 4096, "dtype": "bfloat16"},
        "odd width": {"rows": 30011, "cols": 301, "dtype": "float16"},
    },
    smoke={"rows": 5, "cols": 35, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    x = draw.values(cfg.rows, cfg.cols, dtype=cfg.dtype)
    # Padding: rows of zeros have no direction and must come out as zeros.
    x[3::8] = 0.0
    return {"x": x, "eps": draw.scalar(1e-6, 1e-5)}


def reference(x, eps):
    return F.normalize(x, p=2.0, dim=-1, eps=eps)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.cols
    return Work(bytes=2 * elements * size, operations=3 * elements)
