# Reports more time than the call took, by the judge's clock.
# expect: timing_inconsistent|passed
import gc

import right

for thing in gc.get_objects():
    if type(thing).__name__ == "WorkerDevice":

        def timed(call, flush):
            call(0)
            return 1e9, 1.0

        thing.timed = timed


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
