# T08: replaces the clocks of its process, so that what the worker measures is a hundredth.
# expect: passed|timing_inconsistent
# speedup: < 30
import time

import honest

_real = time.perf_counter_ns
time.perf_counter_ns = lambda: _real() // 10000
time.perf_counter = lambda: _real() / 1e13
time.monotonic = time.perf_counter


def launch(x, y, rows, cols):
    honest.launch(x, y, rows, cols)
