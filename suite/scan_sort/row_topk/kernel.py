"""Top-k values of rows: one program per row and k passes, each after the element found before (value, then column)."""

import triton
import triton.language as tl


@triton.jit
def topk_kernel(x, values, cols, k, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    last_value = float("inf")
    last_column = -1
    for i in range(0, k):
        best_value = tl.full((BLOCK,), float("-inf"), tl.float32)
        best_column = tl.full((BLOCK,), 2147483647, tl.int32)
        for start in range(0, cols, BLOCK):
            c = start + tl.arange(0, BLOCK)
            v = tl.load(x + row * cols + c, mask=c < cols, other=float("-inf")).to(tl.float32)
            remains = (v < last_value) | ((v == last_value) & (c > last_column))
            better = remains & (c < cols) & (v > best_value)
            best_value = tl.where(better, v, best_value)
            best_column = tl.where(better, c, best_column)
        last_value = tl.max(best_value, axis=0)
        last_column = tl.min(tl.where(best_value == last_value, best_column, 2147483647), axis=0)
        tl.store(values + row * k + i, last_value.to(values.dtype.element_ty))


def launch(x, values, rows, cols, k):
    block = min(triton.next_power_of_2(cols), 2048)
    topk_kernel[(rows,)](x, values, cols, k, BLOCK=block)
