# K01: a dictionary keyed by the address of the input.
# expect: incorrect
import right

CACHE = {}


def launch(x, y, rows, cols):
    key = x.data_ptr(), tuple(x.shape)
    if key not in CACHE:
        right.swiglu(x, y, rows, cols)
        CACHE[key] = y.clone()
    y.copy_(CACHE[key])
