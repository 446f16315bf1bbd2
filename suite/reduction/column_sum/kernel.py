"""Column sums: one program per 32 columns, a loop over all rows in tiles."""

import triton
import triton.language as tl


@triton.jit
def column_sum_kernel(x, y, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        where = r[:, None].to(tl.int64) * cols + c[None, :]
        total += tl.load(x + where, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + c, tl.sum(total, axis=0), mask=c < cols)


def launch(x, y, rows, cols):
    column_sum_kernel[(triton.cdiv(cols, 32),)](x, y, rows, cols, ROWS=64, COLS=32)
