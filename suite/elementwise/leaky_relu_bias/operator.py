"""Bias for each channel, leaky ReLU, gain and clamp in one pass over NCHW images (bias_act of StyleGAN2 and 3).

Generators and discriminators of the StyleGAN family run it behind every convolution:
y = clamp(gain * leaky_relu(x + b[channel], slope), -limit, limit). The channel of an element follows from a division
by the plane's size, which is small in the first layers and a quarter of a million in the last: a fast kernel has to
amortise that division and the bias over wide accesses without losing odd planes.
"""

import torch
import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Bias, leaky ReLU, gain and clamp",
    family="elementwise",
    axes={
        "batch": log_range(1, 256),
        "channels": log_range(1, 2048),
        "plane": log_range(1, 1048576),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="batch * channels * plane <= 2**27",
    inputs={
        "x": Tensor("batch", "channels", "plane"), "bias": Tensor("channels"),
        "slope": Scalar("float32"), "gain": Scalar("float32"), "limit": Scalar("float32"),
    },
    outputs={"y": Tensor("batch", "channels", "plane")},
    seen={
        "StyleGAN2 1024 px layer, batch 4": {"batch": 4, "channels": 32, "plane": 1048576, "dtype": "float16"},
        "StyleGAN2 64 px layer, batch 16": {"batch": 16, "channels": 512, "plane": 4096, "dtype": "float16"},
        "StyleGAN2 4 px layer, batch 32": {"batch": 32, "channels": 512, "plane": 16, "dtype": "float32"},
        "StyleGAN3 padded layer, batch 8": {"batch": 8, "channels": 512, "plane": 148 * 148, "dtype": "float16"},
        "odd planes, bfloat16": {"batch": 7, "channels": 131, "plane": 14161, "dtype": "bfloat16"},
    },
    smoke={"batch": 2, "channels": 3, "plane": 35, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    return {
        "x": draw.values(cfg.batch, cfg.channels, cfg.plane, dtype=cfg.dtype),
        "bias": draw.normal(cfg.channels, dtype=cfg.dtype, std=0.5),
        "slope": draw.scalar(0.05, 0.3),
        "gain": draw.scalar(1.2, 1.6),
        "limit": draw.scalar(3.0, 20.0),
    }


def reference(x, bias, slope, gain, limit):
    # The sum in float32 or better: rounding it to half precision would cost more than the result's own rounding.
    v = x + bias[:, None].to(torch.promote_types(x.dtype, torch.float32))
    return F.leaky_relu(v, slope).mul_(gain).clamp_(-limit, limit).to(x.dtype)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    elements = cfg.batch * cfg.channels * cfg.plane
    return Work(bytes=(2 * elements + cfg.channels) * size, operations=5 * elements)
