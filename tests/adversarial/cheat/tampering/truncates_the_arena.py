# The same from Python: truncates every descriptor that the worker closes.
# expect: passed|crashed
import os

import right

_close = os.close


def close(fd):
    try:
        os.ftruncate(fd, 0)
    except OSError:
        pass
    _close(fd)


os.close = close


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
