"""Gradient of the smoothed cross entropy with respect to the logits, from the saved log-sum-exp of each row.

The first kernel of every language model's backward pass: with eps the smoothing and V the vocabulary,
dlogits = dloss * (exp(x - lse) - (1 - eps) * onehot(target) - eps / V), and a row of zeros where the target is -100.
It writes the largest tensor of the step and reads another one like it; the target column differs from all others in
every row, ignored rows need no reading at all, and 128 thousand columns in half precision with an odd width (50257)
spoil the alignment of every second row.
"""

import torch

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Cross entropy with label smoothing, backward",
    family="loss_optimizer",
    axes={
        "rows": log_range(1, 65536),
        "vocab": log_range(16, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * vocab <= 2**28",
    inputs={
        "logits": Tensor("rows", "vocab"), "target": Tensor("rows", dtype="int64"),
        "lse": Tensor("rows", dtype="float32"), "dloss": Tensor("rows", dtype="float32"),
        "smoothing": Scalar("float32"),
    },
    outputs={"dlogits": Tensor("rows", "vocab")},
    seen={
        "Llama-3 training, 2k tokens": {"rows": 2048, "vocab": 128256, "dtype": "bfloat16"},
        "Llama-2 training, 4k tokens": {"rows": 4096, "vocab": 32000, "dtype": "bfloat16"},
        "transformer-base translation, 4k tokens": {"rows": 4096, "vocab": 37000, "dtype": "float16"},
        "ImageNet, batch 1024": {"rows": 1024, "vocab": 1000, "dtype": "float32"},
        "GPT-2, odd vocabulary": {"rows": 1023, "vocab": 50257, "dtype": "float16"},
    },
    smoke={"rows": 9, "vocab": 101, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    logits = draw.values(cfg.rows, cfg.vocab, dtype=cfg.dtype, scale=2.0)
    target = draw.integers(cfg.rows, low=0, high=cfg.vocab, dtype="int64")
    ignored = draw.permutation(cfg.rows) < cfg.rows // 8
    return {
        "logits": logits,
        "target": torch.where(ignored, -100, target),
        "lse": torch.logsumexp(logits.to(torch.float32), dim=-1),
        "dloss": draw.normal(cfg.rows, dtype="float32"),
        "smoothing": draw.scalar(0.05, 0.2),
    }


def reference(logits, target, lse, dloss, smoothing):
    wide = torch.promote_types(logits.dtype, torch.float32)
    grad = torch.exp(logits.to(wide) - lse.unsqueeze(-1)).sub_(smoothing / logits.shape[-1])
    hit = torch.full_like(lse, smoothing - 1.0).unsqueeze(-1)
    grad.scatter_add_(1, target.clamp_min(0).unsqueeze(-1), hit)
    grad.mul_(dloss.unsqueeze(-1)).masked_fill_((target < 0).unsqueeze(-1), 0.0)
    return grad.to(logits.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    # One row in eight has an ignored target: its logits need not be read, its zeros have to be written.
    read = (cfg.rows - cfg.rows // 8) * cfg.vocab
    return Work(bytes=(read + cfg.rows * cfg.vocab) * size + 8 * cfg.rows, operations=4 * read)
