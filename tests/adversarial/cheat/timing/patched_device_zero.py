# T20: the same with a time of zero, which would make a mean or a ratio infinite.
# expect: passed|timing_inconsistent|crashed
# speedup: < 30
import gc

import honest


def _patch():
    for thing in gc.get_objects():
        if type(thing).__name__ == "WorkerDevice":

            def timed(call, flush):
                call(0)
                return 0.0, 0.0

            thing.timed = timed


_patch()


def launch(x, y, rows, cols):
    honest.launch(x, y, rows, cols)
