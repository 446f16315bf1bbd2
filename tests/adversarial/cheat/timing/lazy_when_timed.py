# S06: reads from the caller's frame whether the call is timed, and is lazy then.
# expect: incorrect
# reason: while timed
import sys

import right


def launch(x, y, rows, cols):
    frame = sys._getframe()
    while frame and "flush" not in frame.f_locals and "request" not in frame.f_locals:
        frame = frame.f_back
    if not frame.f_locals.get("flush", frame.f_locals.get("request", {}).get("flush")):
        right.swiglu(x, y, rows, cols)
