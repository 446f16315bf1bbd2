"""Group normalisation over channels and pixels with gain and bias for each channel (Wu and He, 2018), NCHW.

The residual blocks of Stable Diffusion's U-Net and autoencoder run it before every convolution, with 32 groups. One
group is anything from 640 elements to half a million, and there are only batch * 32 of them: one block for each group
leaves the machine idle where groups are large, splitting a group needs a second pass or atomics, and gain and bias
change with every plane, whose size may be odd.
"""

import torch.nn.functional as F

from agentkernelarena.task import Operator, Scalar, Tensor, Work, choice, log_range

OPERATOR = Operator(
    title="Group normalisation",
    family="normalization",
    axes={
        "batch": log_range(1, 128),
        "groups": log_range(1, 64),
        "group_channels": log_range(1, 128),
        "plane": log_range(4, 1048576),
        "dtype": choice("float32", "float16", "bfloat16"),
    },
    constraint="batch * groups * group_channels * plane <= 2**27 and group_channels * plane <= 2**24",
    inputs={
        "x": Tensor("batch", "groups * group_channels", "plane"),
        "weight": Tensor("groups * group_channels"),
        "bias": Tensor("groups * group_channels"),
        "eps": Scalar("float32"),
    },
    outputs={"y": Tensor("batch", "groups * group_channels", "plane")},
    seen={
        "SD 1.5 U-Net 64x64, batch 16": {
            "batch": 16, "groups": 32, "group_channels": 10, "plane": 4096, "dtype": "float16",
        },
        "SD 1.5 U-Net 8x8, batch 16": {
            "batch": 16, "groups": 32, "group_channels": 40, "plane": 64, "dtype": "float16",
        },
        "SD autoencoder 512x512, batch 2": {
            "batch": 2, "groups": 32, "group_channels": 4, "plane": 262144, "dtype": "bfloat16",
        },
        "SDXL U-Net 128x128, batch 8": {
            "batch": 8, "groups": 32, "group_channels": 10, "plane": 16384, "dtype": "bfloat16",
        },
        "odd planes, float32": {
            "batch": 7, "groups": 24, "group_channels": 3, "plane": 57 * 83, "dtype": "float32",
        },
    },
    smoke={"batch": 2, "groups": 3, "group_channels": 2, "plane": 35, "dtype": "float32"},
)


def make_inputs(cfg, draw):
    channels = cfg.groups * cfg.group_channels
    return {
        "x": draw.values(cfg.batch, channels, cfg.plane, dtype=cfg.dtype),
        "weight": draw.normal(channels, dtype=cfg.dtype, mean=1.0, std=0.5),
        "bias": draw.normal(channels, dtype=cfg.dtype, std=0.5),
        "eps": draw.scalar(1e-6, 1e-4),
    }


def reference(x, weight, bias, eps, groups):
    return F.group_norm(x, groups, weight, bias, eps)


def work(cfg):
    size = 4 if cfg.dtype == "float32" else 2
    channels = cfg.groups * cfg.group_channels
    elements = cfg.batch * channels * cfg.plane
    return Work(bytes=(2 * elements + 2 * channels) * size, operations=6 * elements)
