"""One AdamW step in place (Loshchilov and Hutter, 2019): parameters, first and second moments.

Every large training run applies it to all parameters at every step. It moves four tensors in and three out for a few
operations and a square root each, with two element types when parameters are held in half precision and moments in
float32: a fast kernel keeps enough wide accesses in flight on all seven streams to reach the memory's bandwidth, also
for the many small tensors (norms, biases) that hardly fill the machine.

    m <- beta1 * m + (1 - beta1) * g            v <- beta2 * v + (1 - beta2) * g * g
    p <- p * (1 - lr * weight_decay) - lr * (m / bias1) / (sqrt(v / bias2) + eps)

bias1 = 1 - beta1**step and bias2 = 1 - beta2**step are computed by the host, once a step.
"""

import torch

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="AdamW step",
    family="loss_optimizer",
    axes={"count": log_range(64, 2**27), "dtype": choice("float32", "float16", "bfloat16")},
    inputs={
        "grad": Tensor("count"),
        "lr": Scalar("float32"), "beta1": Scalar("float32"), "beta2": Scalar("float32"), "eps": Scalar("float32"),
        "weight_decay": Scalar("float32"), "bias1": Scalar("float32"), "bias2": Scalar("float32"),
    },
    outputs={
        "param": Tensor("count", inout=True),
        "exp_avg": Tensor("count", dtype="float32", inout=True),
        "exp_avg_sq": Tensor("count", dtype="float32", inout=True),
    },
    seen={
        "Llama-3 8B attention projection": {"count": 4096 * 4096, "dtype": "bfloat16"},
        "Llama-3 8B MLP weight": {"count": 4096 * 14336, "dtype": "bfloat16"},
        "ResNet-50, all parameters": {"count": 25557032, "dtype": "float32"},
        "GPT-2 embedding": {"count": 50257 * 768, "dtype": "float16"},
        "one norm's gain, odd size": {"count": 12287, "dtype": "float32"},
    },
    smoke={"count": 777, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    moment = draw.values(cfg.count, dtype="float32", scale=0.1)
    beta1, beta2 = draw.scalar(0.85, 0.95), draw.scalar(0.95, 0.999)
    step = 1 + int(draw.scalar(1, 1000))
    return {
        "grad": draw.values(cfg.count, dtype=cfg.dtype, scale=0.1),
        "lr": draw.scalar(1e-2, 1e-1),
        "beta1": beta1,
        "beta2": beta2,
        "eps": draw.scalar(1e-8, 1e-6),
        "weight_decay": draw.scalar(0.01, 0.3),
        "bias1": 1.0 - beta1**step,
        "bias2": 1.0 - beta2**step,
        "param": draw.values(cfg.count, dtype=cfg.dtype, scale=0.25),
        "exp_avg": moment,
        # A second moment is at least the square of the first: this keeps the update of order 1.
        "exp_avg_sq": moment * moment * draw.uniform(cfg.count, dtype="float32", low=1.0, high=4.0),
    }


def reference(grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq):
    grad = grad.to(exp_avg.dtype)
    exp_avg = torch.lerp(exp_avg, grad, 1.0 - beta1)
    exp_avg_sq = (exp_avg_sq * beta2).addcmul_(grad, grad, value=1.0 - beta2)
    denominator = (exp_avg_sq / bias2).sqrt_().add_(eps)
    new = (param.to(exp_avg.dtype) * (1.0 - lr * weight_decay)).addcdiv_(exp_avg, denominator, value=-lr / bias1)
    return new.to(param.dtype), exp_avg, exp_avg_sq


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    return Work(bytes=cfg.count * (3 * size + 16), operations=12 * cfg.count)
