# B30: reports a negative time.
# expect: crashed|timing_inconsistent
import gc

import right

for thing in gc.get_objects():
    if type(thing).__name__ == "WorkerDevice":

        def timed(call, flush):
            call(0)
            return -5.0, 1.0

        thing.timed = timed


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
