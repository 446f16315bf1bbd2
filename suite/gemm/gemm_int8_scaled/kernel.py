"""Y = (X W^T) s_x s_w + b: one program per 64 x 64 tile of Y, int32 accumulation, scales and bias at the end."""

import triton
import triton.language as tl


@triton.jit
def gemm_kernel(x, weight, x_scale, weight_scale, bias, y, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = (tl.program_id(1) * TILE + tl.arange(0, TILE)).to(tl.int64)
    cols = (tl.program_id(0) * TILE + tl.arange(0, TILE)).to(tl.int64)
    total = tl.zeros((TILE, TILE), tl.int32)
    for start in range(0, k, DEPTH):
        inner = start + tl.arange(0, DEPTH)
        vx = tl.load(x + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0)
        vw = tl.load(
            weight + cols[None, :] * k + inner[:, None], mask=(cols[None, :] < n) & (inner[:, None] < k), other=0
        )
        total += tl.dot(vx, vw, out_dtype=tl.int32)
    row_scale = tl.load(x_scale + rows, mask=rows < m, other=0.0)
    col_scale = tl.load(weight_scale + cols, mask=cols < n, other=0.0)
    shift = tl.load(bias + cols, mask=cols < n, other=0.0).to(tl.float32)
    out = total.to(tl.float32) * row_scale[:, None] * col_scale[None, :] + shift[None, :]
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(y + rows[:, None] * n + cols[None, :], out.to(y.dtype.element_ty), mask=mask)


def launch(x, weight, x_scale, weight_scale, bias, y, m, n, k):
    tile = 64
    grid = (triton.cdiv(n, tile), triton.cdiv(m, tile))
    gemm_kernel[grid](x, weight, x_scale, weight_scale, bias, y, m, n, k, TILE=tile, DEPTH=64)
