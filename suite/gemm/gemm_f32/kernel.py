"""C = A B in float32: one program per 64 x 64 tile of C, full-precision products."""

import triton
import triton.language as tl


@triton.jit
def gemm_kernel(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = (tl.program_id(1) * TILE + tl.arange(0, TILE)).to(tl.int64)
    cols = (tl.program_id(0) * TILE + tl.arange(0, TILE)).to(tl.int64)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, DEPTH):
        inner = start + tl.arange(0, DEPTH)
        va = tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
        vb = tl.load(b + inner[:, None] * n + cols[None, :], mask=(inner[:, None] < k) & (cols[None, :] < n), other=0.0)
        total += tl.dot(va, vb, input_precision="ieee")
    tl.store(c + rows[:, None] * n + cols[None, :], total, mask=(rows[:, None] < m) & (cols[None, :] < n))


def launch(a, b, c, m, n, k):
    tile = 64
    gemm_kernel[(triton.cdiv(n, tile), triton.cdiv(m, tile))](a, b, c, m, n, k, TILE=tile, DEPTH=32)
