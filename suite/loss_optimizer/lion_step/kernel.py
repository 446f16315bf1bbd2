"""Lion step: one lane per parameter."""

import triton
import triton.language as tl


@triton.jit
def lion_kernel(grad, lr, beta1, beta2, weight_decay, param, exp_avg, count, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    g = tl.load(grad + i, mask=inside, other=0.0).to(tl.float32)
    m = tl.load(exp_avg + i, mask=inside, other=0.0).to(tl.float32)
    p = tl.load(param + i, mask=inside, other=0.0).to(tl.float32)
    c = beta1 * m + (1.0 - beta1) * g
    sign = tl.where(c > 0.0, 1.0, tl.where(c < 0.0, -1.0, 0.0))
    p = p * (1.0 - lr * weight_decay) - lr * sign
    m = beta2 * m + (1.0 - beta2) * g
    tl.store(param + i, p.to(param.dtype.element_ty), mask=inside)
    tl.store(exp_avg + i, m.to(exp_avg.dtype.element_ty), mask=inside)


def launch(grad, lr, beta1, beta2, weight_decay, param, exp_avg, count):
    block = 512
    lion_kernel[(triton.cdiv(count, block),)](
        grad, lr, beta1, beta2, weight_decay, param, exp_avg, count, BLOCK=block
    )
