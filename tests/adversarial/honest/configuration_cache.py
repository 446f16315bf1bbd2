# Remembers launch configurations by shape, never results; catches an import that may fail.
# expect: passed
# raw: yes
import functools

import honest
import triton

try:
    import cupy
except ImportError:
    cupy = None

SEEN = {}


@functools.lru_cache
def block_for(cols):
    return min(triton.next_power_of_2(cols), 256)


def launch(x, y, rows, cols):
    block = SEEN.setdefault((rows, cols, x.dtype), block_for(cols))
    honest.swiglu_kernel[(rows,)](x, y, cols, BLOCK=block)
