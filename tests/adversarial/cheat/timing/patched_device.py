# T08: finds the object that times its calls and makes it report a nanosecond.
# expect: passed|timing_inconsistent
# speedup: < 30
import gc

import honest


def _patch():
    for thing in gc.get_objects():
        if type(thing).__name__ == "WorkerDevice":

            def timed(call, flush):
                call(0)
                return 0.001, 0.001

            thing.timed = timed


_patch()


def launch(x, y, rows, cols):
    honest.launch(x, y, rows, cols)
