"""Soft capping of logits: one program per block of the flattened rows."""

import triton
import triton.language as tl


@triton.jit
def tanh(t):
    """Hyperbolic tangent: Lambert's continued fraction near zero, where the exponential formula would cancel."""
    square = t * t
    fraction = 9.0 + square / 11.0
    fraction = 7.0 + square / fraction
    fraction = 5.0 + square / fraction
    fraction = 3.0 + square / fraction
    near = t / (1.0 + square / fraction)
    far = 1.0 - 2.0 / (1.0 + tl.exp(2.0 * tl.abs(t)))
    return tl.where(tl.abs(t) < 0.625, near, tl.where(t < 0.0, -far, far))


@triton.jit
def softcap_kernel(logits, temperature, cap, y, count, vocab, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    v = tl.load(logits + i, mask=inside, other=0.0).to(tl.float32)
    t = tl.load(temperature + i // vocab, mask=inside, other=1.0)
    tl.store(y + i, cap * tanh(v / cap) / t, mask=inside)


def launch(logits, temperature, cap, y, rows, vocab):
    count = rows * vocab
    block = 512
    softcap_kernel[(triton.cdiv(count, block),)](logits, temperature, cap, y, count, vocab, BLOCK=block)
