"""Cross entropy, backward: one program per row, one pass over it in blocks."""

import triton
import triton.language as tl


@triton.jit
def cross_entropy_backward_kernel(logits, target, lse, dloss, smoothing, dlogits, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(target + row)
    shift = tl.load(lse + row)
    scale = tl.load(dloss + row)
    for start in range(0, vocab, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * vocab + c, mask=c < vocab, other=0.0).to(tl.float32)
        g = tl.exp(v - shift) - smoothing / vocab
        g = tl.where(c == label, g - (1.0 - smoothing), g)
        g = tl.where(label >= 0, g * scale, 0.0)
        tl.store(dlogits + row * vocab + c, g.to(dlogits.dtype.element_ty), mask=c < vocab)


def launch(logits, target, lse, dloss, smoothing, dlogits, rows, vocab):
    block = min(triton.next_power_of_2(vocab), 1024)
    cross_entropy_backward_kernel[(rows,)](logits, target, lse, dloss, smoothing, dlogits, vocab, BLOCK=block)
