# Fewer programs than rows, each of which takes several; a comment about a stream and about time.perf_counter.
# expect: passed
# raw: yes
import triton
import triton.language as tl


@triton.jit
def persistent(x, y, rows, cols, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        c = tl.arange(0, BLOCK)
        gate = tl.load(x + row * 2 * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        up = tl.load(x + row * 2 * cols + cols + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y + row * cols + c, (gate * tl.sigmoid(gate) * up).to(y.dtype.element_ty), mask=c < cols)


def launch(x, y, rows, cols):
    persistent[(2,)](x, y, rows, cols, BLOCK=triton.next_power_of_2(cols))
