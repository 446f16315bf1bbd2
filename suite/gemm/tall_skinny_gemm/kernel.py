"""C = A^T B: one program per piece of the rows and 32 x 32 tile of C, added to C by atomics."""

import triton
import triton.language as tl


@triton.jit
def clear(c, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.zeros((BLOCK,), tl.float32), mask=i < count)


@triton.jit
def product_kernel(a, b, c, rows, m, n, TILE: tl.constexpr, DEPTH: tl.constexpr, PIECE: tl.constexpr):
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(2) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, PIECE, DEPTH):
        r = tl.program_id(0).to(tl.int64) * PIECE + start + tl.arange(0, DEPTH)
        va = tl.load(a + r[None, :] * m + i[:, None], mask=(r[None, :] < rows) & (i[:, None] < m), other=0.0)
        vb = tl.load(b + r[:, None] * n + j[None, :], mask=(r[:, None] < rows) & (j[None, :] < n), other=0.0)
        total += tl.dot(va, vb, input_precision="ieee")
    tl.atomic_add(c + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


def launch(a, b, c, rows, m, n):
    tile, piece = 32, 1024
    clear[(triton.cdiv(m * n, 1024),)](c, m * n, BLOCK=1024)
    grid = (triton.cdiv(rows, piece), triton.cdiv(m, tile), triton.cdiv(n, tile))
    product_kernel[grid](a, b, c, rows, m, n, TILE=tile, DEPTH=64, PIECE=piece)
