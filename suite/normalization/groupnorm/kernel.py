"""Group normalisation: one program per group of one image; mean, then variance, then the result, in blocks."""

import triton
import triton.language as tl


@triton.jit
def groupnorm_kernel(x, weight, bias, eps, y, groups, group_channels, plane, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    count = group_channels * plane
    base = program.to(tl.int64) * count
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, count, BLOCK):
        i = start + lanes
        total += tl.load(x + base + i, mask=i < count, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / count
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, count, BLOCK):
        i = start + lanes
        d = tl.load(x + base + i, mask=i < count, other=0.0).to(tl.float32) - mean
        squares += tl.where(i < count, d * d, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / count + eps)
    for start in range(0, count, BLOCK):
        i = start + lanes
        c = program % groups * group_channels + i // plane
        v = tl.load(x + base + i, mask=i < count, other=0.0).to(tl.float32)
        w = tl.load(weight + c, mask=i < count, other=0.0).to(tl.float32)
        b = tl.load(bias + c, mask=i < count, other=0.0).to(tl.float32)
        tl.store(y + base + i, ((v - mean) * scale * w + b).to(y.dtype.element_ty), mask=i < count)


def launch(x, weight, bias, eps, y, batch, groups, group_channels, plane):
    block = min(triton.next_power_of_2(group_channels * plane), 2048)
    groupnorm_kernel[(batch * groups,)](x, weight, bias, eps, y, groups, group_channels, plane, BLOCK=block)
