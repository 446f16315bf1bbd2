"""A helper in a file of its own."""

import triton


@triton.jit
def twice(v):
    return v * 2.0
