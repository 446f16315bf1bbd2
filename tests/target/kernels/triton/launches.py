"""A launcher that does what launchers do: views, scratch, questions about the device, grids by function, autotuning."""

import torch
import triton
import triton.language as tl
from part import twice


@triton.jit
def matmul(a, b, c, k, BLOCK: tl.constexpr, STEP: tl.constexpr):
    i, j, s = tl.arange(0, BLOCK), tl.arange(0, BLOCK), tl.arange(0, STEP)
    sum = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, k, STEP):
        left = tl.load(a + i[:, None] * k + start + s[None, :])
        right = tl.load(b + (start + s[:, None]) * BLOCK + j[None, :])
        sum = tl.dot(left, right, sum)
    tl.store(c + i[:, None] * BLOCK + j[None, :], sum.to(tl.float16))


@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr = 1024):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)) * factor, mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 128}, num_warps=2)], key=["n"])
@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def choose(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.static_assert(BLOCK >= 64, "too small: the next configuration has to be taken")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + i, tl.load(x + i))
    else:
        tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


def launch(a, b, c, n):
    assert a.is_cuda
    assert a.device.type == "cuda"
    assert n == c.shape[0]
    scratch = torch.empty_like(c)
    other = torch.zeros(c.shape, dtype=torch.float16, device=a.device)
    units = torch.cuda.get_device_properties(a.device).multi_processor_count
    size = c.numel()
    with torch.cuda.device(a.device):
        matmul[(1,)](a, b, scratch, a.shape[1], BLOCK=64, STEP=32)
        scale[lambda meta: (min(units, triton.cdiv(size, meta["BLOCK"])),)](scratch, other, size, 0.5)
        scale[(16,)](scratch.view(-1)[1:], other, size - 1, 0.5)
        choose[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](other, c, size)
        choose[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](other.contiguous(), c, size)
