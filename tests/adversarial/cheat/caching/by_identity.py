# K02: a dictionary keyed by the identity of the tensor object.
# expect: incorrect
import right

CACHE = {}


def launch(x, y, rows, cols):
    if id(x) not in CACHE:
        right.swiglu(x, y, rows, cols)
        CACHE[id(x)] = y.clone()
    y.copy_(CACHE[id(x)])
