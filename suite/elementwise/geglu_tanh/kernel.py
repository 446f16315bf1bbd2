"""GEGLU, tanh form: one program per block of the flattened output."""

import triton
import triton.language as tl


@triton.jit
def geglu_kernel(x, y, count, hidden, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    row, c = i // hidden, i % hidden
    source = x + row * 2 * hidden + c
    gate = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(source + hidden, mask=inside, other=0.0).to(tl.float32)
    inner = 0.7978845608 * (gate + 0.044715 * gate * gate * gate)
    # (1 + tanh(z)) / 2 is the logistic function of 2 z.
    value = gate * tl.sigmoid(2.0 * inner) * up
    tl.store(y + i, value.to(y.dtype.element_ty), mask=inside)


def launch(x, y, rows, hidden):
    count = rows * hidden
    block = 512
    geglu_kernel[(triton.cdiv(count, block),)](x, y, count, hidden, BLOCK=block)
