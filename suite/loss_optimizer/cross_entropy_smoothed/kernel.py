"""Cross entropy with label smoothing: one program per row; maximum first, then the sums, in blocks."""

import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(logits, target, smoothing, loss, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    label = tl.load(target + row)
    if label < 0:
        tl.store(loss + row, 0.0)
    else:
        top = tl.full((BLOCK,), float("-inf"), tl.float32)
        for start in range(0, vocab, BLOCK):
            c = start + lanes
            v = tl.load(logits + row * vocab + c, mask=c < vocab, other=float("-inf")).to(tl.float32)
            top = tl.maximum(top, v)
        peak = tl.max(top, axis=0)
        exponentials = tl.zeros((BLOCK,), tl.float32)
        differences = tl.zeros((BLOCK,), tl.float32)
        for start in range(0, vocab, BLOCK):
            c = start + lanes
            d = tl.load(logits + row * vocab + c, mask=c < vocab, other=0.0).to(tl.float32) - peak
            exponentials += tl.where(c < vocab, tl.exp(d), 0.0)
            differences += tl.where(c < vocab, d, 0.0)
        log_sum = tl.log(tl.sum(exponentials, axis=0))
        mean = tl.sum(differences, axis=0) / vocab
        hit = tl.load(logits + row * vocab + label).to(tl.float32) - peak
        tl.store(loss + row, (1.0 - smoothing) * (log_sum - hit) + smoothing * (log_sum - mean))


def launch(logits, target, smoothing, loss, rows, vocab):
    block = min(triton.next_power_of_2(vocab), 2048)
    cross_entropy_kernel[(rows,)](logits, target, smoothing, loss, vocab, BLOCK=block)
