"""One Lion step in place: parameters move by the sign of a momentum blend (Chen et al., 2023).

Found by program search and used to train vision transformers and language models, Lion keeps one moment instead of
AdamW's two:

    c = beta1 * m + (1 - beta1) * g
    p <- p * (1 - lr * weight_decay) - lr * sign(c)        m <- beta2 * m + (1 - beta2) * g

Three streams in, two out, a handful of operations: nothing but memory matters, so the kernel has to keep enough wide
accesses in flight on five streams, from a norm's gain to a whole embedding. sign(0) is 0.

A sign is not continuous. Inputs are drawn such that c is 0 exactly or at least a thousandth of the magnitude of its two
terms, far above the rounding error of float32, so every kernel that blends in float32 finds the same sign.
"""

import torch

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Lion step",
    family="loss_optimizer",
    axes={"count": log_range(64, 2**28), "dtype": choice("float32", "float16", "bfloat16")},
    inputs={
        "grad": Tensor("count"),
        "lr": Scalar("float32"), "beta1": Scalar("float32"), "beta2": Scalar("float32"),
        "weight_decay": Scalar("float32"),
    },
    outputs={"param": Tensor("count", inout=True), "exp_avg": Tensor("count", inout=True)},
    seen={
        "ViT-B/16, all parameters": {"count": 86567656, "dtype": "bfloat16"},
        "Llama-3 8B attention projection": {"count": 4096 * 4096, "dtype": "bfloat16"},
        "Llama-3 8B MLP weight": {"count": 4096 * 14336, "dtype": "bfloat16"},
        "ResNet-50, all parameters": {"count": 25557032, "dtype": "float32"},
        "one norm's gain, odd size": {"count": 12287, "dtype": "float16"},
    },
    smoke={"count": 777, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    beta1 = draw.scalar(0.85, 0.95)
    momentum = draw.values(cfg.count, dtype=cfg.dtype, scale=0.1)
    grad = draw.values(cfg.count, dtype=cfg.dtype, scale=0.5)
    kept, added = momentum.to(torch.float32) * beta1, grad.to(torch.float32) * (1.0 - beta1)
    undecided = (kept + added).abs() < 1e-3 * (kept.abs() + added.abs())
    return {
        # With a gradient equal to the momentum, the blend is the momentum itself.
        "grad": torch.where(undecided, momentum, grad),
        "lr": draw.scalar(1e-2, 1e-1),
        "beta1": beta1,
        "beta2": draw.scalar(0.95, 0.995),
        "weight_decay": draw.scalar(0.1, 1.0),
        "param": draw.values(cfg.count, dtype=cfg.dtype, scale=0.25),
        "exp_avg": momentum,
    }


def reference(grad, lr, beta1, beta2, weight_decay, param, exp_avg):
    wide = torch.promote_types(param.dtype, torch.float32)
    momentum, gradient = exp_avg.to(wide), grad.to(wide)
    direction = torch.lerp(momentum, gradient, 1.0 - beta1).sign_()
    new = (param.to(wide) * (1.0 - lr * weight_decay)).sub_(direction, alpha=lr)
    return new.to(param.dtype), torch.lerp(momentum, gradient, 1.0 - beta2).to(exp_avg.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=5 * cfg.count * size, operations=9 * cfg.count)
