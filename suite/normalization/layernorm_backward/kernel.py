"""Layer normalisation, backward: dx with one program per row, then dweight and dbias with one per 32 columns."""

import triton
import triton.language as tl


@triton.jit
def input_gradient_kernel(dy, x, weight, mean, rstd, dx, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m, r = tl.load(mean + row), tl.load(rstd + row)
    total = tl.zeros((BLOCK,), tl.float32)
    projection = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        g = tl.load(dy + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        g *= tl.load(weight + c, mask=c < cols, other=0.0).to(tl.float32)
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        total += g
        projection += g * (v - m) * r
    mean_g = tl.sum(total, axis=0) / cols
    mean_p = tl.sum(projection, axis=0) / cols
    for start in range(0, cols, BLOCK):
        c = start + lanes
        g = tl.load(dy + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        g *= tl.load(weight + c, mask=c < cols, other=0.0).to(tl.float32)
        v = tl.load(x + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        gradient = r * (g - mean_g - (v - m) * r * mean_p)
        tl.store(dx + row * cols + c, gradient.to(dx.dtype.element_ty), mask=c < cols)


@triton.jit
def parameter_gradient_kernel(dy, x, mean, rstd, dweight, dbias, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    dw = tl.zeros((ROWS, COLS), tl.float32)
    db = tl.zeros((ROWS, COLS), tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        where = r[:, None].to(tl.int64) * cols + c[None, :]
        g = tl.load(dy + where, mask=inside, other=0.0).to(tl.float32)
        v = tl.load(x + where, mask=inside, other=0.0).to(tl.float32)
        m = tl.load(mean + r, mask=r < rows, other=0.0)
        s = tl.load(rstd + r, mask=r < rows, other=0.0)
        dw += g * (v - m[:, None]) * s[:, None]
        db += g
    tl.store(dweight + c, tl.sum(dw, axis=0), mask=c < cols)
    tl.store(dbias + c, tl.sum(db, axis=0), mask=c < cols)


def launch(dy, x, weight, mean, rstd, dx, dweight, dbias, rows, cols):
    block = min(triton.next_power_of_2(cols), 1024)
    input_gradient_kernel[(rows,)](dy, x, weight, mean, rstd, dx, cols, BLOCK=block)
    parameter_gradient_kernel[(triton.cdiv(cols, 32),)](dy, x, mean, rstd, dweight, dbias, rows, cols, ROWS=64, COLS=32)
