"""Distillation loss: one program per row; both maxima, both sums of exponentials, then the divergence, in blocks."""

import triton
import triton.language as tl


@triton.jit
def kl_distillation_kernel(student, teacher, temperature, loss, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    inverse = 1.0 / temperature
    top_s = tl.full((BLOCK,), float("-inf"), tl.float32)
    top_t = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, vocab, BLOCK):
        c = start + lanes
        s = tl.load(student + row * vocab + c, mask=c < vocab, other=float("-inf")).to(tl.float32)
        t = tl.load(teacher + row * vocab + c, mask=c < vocab, other=float("-inf")).to(tl.float32)
        top_s = tl.maximum(top_s, s)
        top_t = tl.maximum(top_t, t)
    peak_s = tl.max(top_s, axis=0)
    peak_t = tl.max(top_t, axis=0)
    sum_s = tl.zeros((BLOCK,), tl.float32)
    sum_t = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, vocab, BLOCK):
        c = start + lanes
        s = tl.load(student + row * vocab + c, mask=c < vocab, other=float("-inf")).to(tl.float32)
        t = tl.load(teacher + row * vocab + c, mask=c < vocab, other=float("-inf")).to(tl.float32)
        sum_s += tl.exp((s - peak_s) * inverse)
        sum_t += tl.exp((t - peak_t) * inverse)
    log_s = tl.log(tl.sum(sum_s, axis=0))
    log_t = tl.log(tl.sum(sum_t, axis=0))
    divergence = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, vocab, BLOCK):
        c = start + lanes
        s = tl.load(student + row * vocab + c, mask=c < vocab, other=0.0).to(tl.float32)
        t = tl.load(teacher + row * vocab + c, mask=c < vocab, other=0.0).to(tl.float32)
        a = (t - peak_t) * inverse - log_t
        b = (s - peak_s) * inverse - log_s
        divergence += tl.where(c < vocab, tl.exp(a) * (a - b), 0.0)
    tl.store(loss + row, tl.sum(divergence, axis=0) * temperature * temperature)


def launch(student, teacher, temperature, loss, rows, vocab):
    block = min(triton.next_power_of_2(vocab), 1024)
    kl_distillation_kernel[(rows,)](student, teacher, temperature, loss, vocab, BLOCK=block)
