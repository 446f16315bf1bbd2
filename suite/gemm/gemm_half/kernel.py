"""Y = X W^T: one program per 64 x 64 tile of Y, float32 accumulation."""

import triton
import triton.language as tl


@triton.jit
def gemm_kernel(x, weight, y, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = (tl.program_id(1) * TILE + tl.arange(0, TILE)).to(tl.int64)
    cols = (tl.program_id(0) * TILE + tl.arange(0, TILE)).to(tl.int64)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, DEPTH):
        inner = start + tl.arange(0, DEPTH)
        vx = tl.load(x + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
        vw = tl.load(
            weight + cols[None, :] * k + inner[:, None], mask=(cols[None, :] < n) & (inner[:, None] < k), other=0.0
        )
        total += tl.dot(vx, vw)
    out = total.to(y.dtype.element_ty)
    tl.store(y + rows[:, None] * n + cols[None, :], out, mask=(rows[:, None] < m) & (cols[None, :] < n))


def launch(x, weight, y, m, n, k):
    tile = 64
    gemm_kernel[(triton.cdiv(n, tile), triton.cdiv(m, tile))](x, weight, y, m, n, k, TILE=tile, DEPTH=32)
