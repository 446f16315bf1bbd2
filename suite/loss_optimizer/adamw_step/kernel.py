"""AdamW step: one lane per parameter."""

import triton
import triton.language as tl


@triton.jit
def adamw_kernel(grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq, count,
                 BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    g = tl.load(grad + i, mask=inside, other=0.0).to(tl.float32)
    p = tl.load(param + i, mask=inside, other=0.0).to(tl.float32)
    m = beta1 * tl.load(exp_avg + i, mask=inside, other=0.0) + (1.0 - beta1) * g
    v = beta2 * tl.load(exp_avg_sq + i, mask=inside, other=0.0) + (1.0 - beta2) * g * g
    update = (m / bias1) / (tl.sqrt(v / bias2) + eps)
    p = p * (1.0 - lr * weight_decay) - lr * update
    tl.store(param + i, p.to(param.dtype.element_ty), mask=inside)
    tl.store(exp_avg + i, m, mask=inside)
    tl.store(exp_avg_sq + i, v, mask=inside)


def launch(grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq, count):
    block = 512
    adamw_kernel[(triton.cdiv(count, block),)](
        grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq, count, BLOCK=block
    )
