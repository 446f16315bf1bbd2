"""Knowledge distillation loss of each token: T**2 * KL(teacher || student) at temperature T (Hinton et al., 2015).

Distilling a language model compares the two models' full distributions over the vocabulary at every token:
T**2 * sum of p_t * (log p_t - log p_s) with both log-softmaxes taken at temperature T. In a framework that is two
log-softmaxes and a product, each a pass over tensors of tokens times 128 thousand; one pass needs two running maxima,
two rescaled sums and a rescaled weighted sum at once, for two streams that do not fit in registers.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Distillation loss",
    family="loss_optimizer",
    axes={
        "rows": log_range(1, 65536),
        "vocab": log_range(16, 262144),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="rows * vocab <= 2**27",
    inputs={"student": Tensor("rows", "vocab"), "teacher": Tensor("rows", "vocab"), "temperature": Scalar("float32")},
    outputs={"loss": Tensor("rows", dtype="float32")},
    seen={
        "Llama-3 8B from 70B, 1k tokens": {"rows": 1024, "vocab": 128256, "dtype": "bfloat16"},
        "Gemma-2 2B from 9B, 512 tokens": {"rows": 512, "vocab": 256000, "dtype": "bfloat16"},
        "DistilBERT, 2k masked tokens": {"rows": 2048, "vocab": 30522, "dtype": "float16"},
        "ImageNet student, batch 1024": {"rows": 1024, "vocab": 1000, "dtype": "float32"},
        "GPT-2, odd vocabulary": {"rows": 511, "vocab": 50257, "dtype": "float32"},
    },
    smoke={"rows": 5, "vocab": 211, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "student": draw.values(cfg.rows, cfg.vocab, dtype=cfg.dtype, scale=2.0),
        # Normal whatever the family: two nearly uniform distributions would leave a divergence of mere rounding.
        "teacher": draw.normal(cfg.rows, cfg.vocab, dtype=cfg.dtype, std=2.0),
        "temperature": draw.scalar(1.0, 4.0),
    }


def reference(student, teacher, temperature):
    wide = torch.promote_types(student.dtype, torch.float32)
    log_s = F.log_softmax(student.to(wide) / temperature, dim=-1)
    log_t = F.log_softmax(teacher.to(wide) / temperature, dim=-1)
    return F.kl_div(log_s, log_t, reduction="none", log_target=True).sum(dim=-1) * temperature**2


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.rows * cfg.vocab
    return Work(bytes=2 * elements * size + 4 * cfg.rows, operations=8 * elements)
