# K03: keyed by the signs of a few sampled elements.
# expect: incorrect
import right

CACHE = {}


def launch(x, y, rows, cols):
    key = tuple((x.flatten()[::611] > 0).tolist())[:1]
    if key not in CACHE:
        right.swiglu(x, y, rows, cols)
        CACHE[key] = y.clone()
    y.copy_(CACHE[key])
