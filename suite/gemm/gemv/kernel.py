"""y = A x: one program per row, in blocks of columns."""

import triton
import triton.language as tl


@triton.jit
def gemv_kernel(a, x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        va = tl.load(a + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        vx = tl.load(x + c, mask=c < cols, other=0.0).to(tl.float32)
        total += va * vx
    tl.store(y + row, tl.sum(total, axis=0).to(y.dtype.element_ty))


def launch(a, x, y, rows, cols):
    block = min(triton.next_power_of_2(cols), 1024)
    gemv_kernel[(rows,)](a, x, y, cols, BLOCK=block)
