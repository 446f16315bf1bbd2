# Autotuning in the first call, over block sizes.
# expect: passed
# raw: yes
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["cols"])
@triton.jit
def swiglu_kernel(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        gate = tl.load(x + row * 2 * cols + c, mask=c < cols, other=0.0).to(tl.float32)
        up = tl.load(x + row * 2 * cols + cols + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y + row * cols + c, (gate / (1.0 + tl.exp(-gate)) * up).to(y.dtype.element_ty), mask=c < cols)


def launch(x, y, rows, cols):
    swiglu_kernel[(rows,)](x, y, cols)
