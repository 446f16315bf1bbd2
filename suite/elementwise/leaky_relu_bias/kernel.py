"""Bias, leaky ReLU, gain and clamp: one program per block of the flattened tensor."""

import triton
import triton.language as tl


@triton.jit
def bias_act_kernel(x, bias, slope, gain, limit, y, count, channels, plane, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    v = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
    v += tl.load(bias + i // plane % channels, mask=inside, other=0.0).to(tl.float32)
    v = gain * tl.where(v > 0.0, v, slope * v)
    v = tl.minimum(tl.maximum(v, -limit), limit)
    tl.store(y + i, v.to(y.dtype.element_ty), mask=inside)


def launch(x, bias, slope, gain, limit, y, batch, channels, plane):
    count = batch * channels * plane
    block = 512
    bias_act_kernel[(triton.cdiv(count, block),)](
        x, bias, slope, gain, limit, y, count, channels, plane, BLOCK=block
    )
