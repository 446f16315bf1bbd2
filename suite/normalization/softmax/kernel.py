"""Softmax over rows: one program per row; a running maximum and sum in the first pass, the output in the second."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        # Finite after the first block in every lane that holds an element: lanes beyond the row never leave -inf.
        new = tl.maximum(largest, v)
        safe = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(largest - safe) + tl.exp(v - safe)
        largest = new
    top = tl.max(largest, axis=0)
    scale = 1.0 / tl.sum(total * tl.exp(largest - top), axis=0)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        v = tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        tl.store(y + row * cols + c, (tl.exp(v - top) * scale).to(y.dtype.element_ty), mask=c < cols)


def launch(x, y, rows, cols):
    block = min(triton.next_power_of_2(cols), 2048)
    softmax_kernel[(rows,)](x, y, cols, BLOCK=block)
