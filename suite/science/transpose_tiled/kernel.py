"""Batched transposition: one program per 32 x 32 tile."""

import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x, y, rows, cols, TILE: tl.constexpr):
    matrix = tl.program_id(2).to(tl.int64) * rows * cols
    r = (tl.program_id(1) * TILE + tl.arange(0, TILE)).to(tl.int64)
    c = (tl.program_id(0) * TILE + tl.arange(0, TILE)).to(tl.int64)
    v = tl.load(x + matrix + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=0.0)
    out = y + matrix + c[:, None] * rows + r[None, :]
    tl.store(out, tl.trans(v), mask=(c[:, None] < cols) & (r[None, :] < rows))


def launch(x, y, batch, rows, cols):
    tile = 32
    grid = (triton.cdiv(cols, tile), triton.cdiv(rows, tile), batch)
    transpose_kernel[grid](x, y, rows, cols, TILE=tile)
