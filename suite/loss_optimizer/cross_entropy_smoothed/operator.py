"""Cross entropy of each token with label smoothing (Szegedy et al., 2016) and ignored targets, over the vocabulary.

The last step of every language model's training: with eps the smoothing, a row's loss is
(1 - eps) * (lse - x[target]) + eps * (lse - mean(x)), and 0 where the target is -100 (torch's ignore_index). Logits are
the largest tensor of the step (tokens times 128 thousand), so everything has to come from one reading: the running
maximum, the rescaled sum of exponentials and the plain sum, with rows that do not fit in registers.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Cross entropy with label smoothing",
    family="loss_optimizer",
    axes={
        "rows": log_range(1, 65536),
        "vocab": log_range(16, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * vocab <= 2**28",
    inputs={
        "logits": Tensor("rows", "vocab"), "target": Tensor("rows", dtype="int64"), "smoothing": Scalar("float32"),
    },
    outputs={"loss": Tensor("rows", dtype="float32")},
    seen={
        "Llama-3 training, 2k tokens": {"rows": 2048, "vocab": 128256, "dtype": "bfloat16"},
        "Llama-2 training, 4k tokens": {"rows": 4096, "vocab": 32000, "dtype": "bfloat16"},
        "transformer-big translation, 7k tokens": {"rows": 7168, "vocab": 37000, "dtype": "float16"},
        "ImageNet, batch 1024": {"rows": 1024, "vocab": 1000, "dtype": "float32"},
        "GPT-2, odd vocabulary": {"rows": 1023, "vocab": 50257, "dtype": "float16"},
    },
    smoke={"rows": 5, "vocab": 211, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    target = draw.integers(cfg.rows, low=0, high=cfg.vocab, dtype="int64")
    ignored = draw.permutation(cfg.rows) < cfg.rows // 8
    return {
        "logits": draw.values(cfg.rows, cfg.vocab, dtype=cfg.dtype, scale=2.0),
        "target": torch.where(ignored, -100, target),
        "smoothing": draw.scalar(0.05, 0.2),
    }


def reference(logits, target, smoothing):
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.cross_entropy(logits, target, ignore_index=-100, label_smoothing=smoothing, reduction="none")


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    # One row in eight has an ignored target: its logits need not be read.
    elements = (cfg.rows - cfg.rows // 8) * cfg.vocab
    return Work(bytes=elements * size + 12 * cfg.rows, operations=3 * elements)
