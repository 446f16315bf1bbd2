"""C_i = A_i B_i: one program per 32 x 32 tile of one product."""

import triton
import triton.language as tl


@triton.jit
def batched_gemm_kernel(a, b, c, m, n, k, TILE: tl.constexpr):
    matrix = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(0) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, TILE):
        inner = start + tl.arange(0, TILE)
        at_a = a + matrix * m * k + rows[:, None] * k + inner[None, :]
        at_b = b + matrix * k * n + inner[:, None] * n + cols[None, :]
        va = tl.load(at_a, mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
        vb = tl.load(at_b, mask=(inner[:, None] < k) & (cols[None, :] < n), other=0.0)
        total += tl.dot(va, vb, input_precision="ieee")
    out = c + matrix * m * n + rows[:, None] * n + cols[None, :]
    tl.store(out, total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (cols[None, :] < n))


def launch(a, b, c, batch, m, n, k):
    tile = 32
    batched_gemm_kernel[(triton.cdiv(n, tile), triton.cdiv(m, tile), batch)](a, b, c, m, n, k, TILE=tile)
