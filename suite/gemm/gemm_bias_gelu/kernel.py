"""Y = gelu(X W^T + b): one program per 64 x 64 tile of Y, bias and activation on the accumulators."""

import triton
import triton.language as tl


@triton.jit
def gemm_kernel(x, weight, bias, y, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
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
    total += tl.load(bias + cols, mask=cols < n, other=0.0).to(tl.float32)[None, :]
    out = 0.5 * total * (1.0 + tl.erf(total * 0.70710678))
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(y + rows[:, None] * n + cols[None, :], out.to(y.dtype.element_ty), mask=mask)


def launch(x, weight, bias, y, m, n, k):
    tile = 64
    gemm_kernel[(triton.cdiv(n, tile), triton.cdiv(m, tile))](x, weight, bias, y, m, n, k, TILE=tile, DEPTH=32)
