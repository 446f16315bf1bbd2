"""Inclusive prefix sum in three kernels: scan chunks, scan the chunks' last elements along each row, add them."""

import triton
import triton.language as tl


@triton.jit
def scan_chunks(x, y, cols, CHUNK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * cols
    c = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    v = tl.load(x + row + c, mask=c < cols, other=0)
    tl.store(y + row + c, tl.cumsum(v, axis=0), mask=c < cols)


@triton.jit
def scan_chunk_ends(y, cols, chunks, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    carry = tl.zeros((1,), y.dtype.element_ty)
    for start in range(0, chunks, BLOCK):
        i = start + tl.arange(0, BLOCK)
        end = y + row + i * CHUNK + CHUNK - 1
        v = tl.load(end, mask=i < chunks, other=0)
        tl.store(end, carry + tl.cumsum(v, axis=0), mask=i < chunks)
        carry += tl.sum(v, axis=0)


@triton.jit
def add_carries(y, cols, CHUNK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * cols
    first = (tl.program_id(0) + 1) * CHUNK
    # The chunk's last element, when the row reaches it, is right already.
    c = first + tl.arange(0, CHUNK)
    inside = (c < cols) & (c < first + CHUNK - 1)
    carry = tl.load(y + row + first - 1)
    v = tl.load(y + row + c, mask=inside, other=0)
    tl.store(y + row + c, v + carry, mask=inside)


def launch(x, y, rows, cols):
    chunk = min(triton.next_power_of_2(cols), 1024)
    chunks = triton.cdiv(cols, chunk)
    scan_chunks[(chunks, rows)](x, y, cols, CHUNK=chunk)
    if chunks > 1:
        scan_chunk_ends[(rows,)](y, cols, cols // chunk, CHUNK=chunk, BLOCK=256)
        add_carries[(chunks - 1, rows)](y, cols, CHUNK=chunk)
