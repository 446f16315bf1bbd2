# T04: answers the judge itself, with a small time, and computes afterwards.
# expect: incorrect|crashed|timing_inconsistent
import sys
import time

import right


def launch(x, y, rows, cols):
    frame = sys._getframe()
    while frame and "channel" not in frame.f_locals:
        frame = frame.f_back
    nonce = frame.f_locals["request"]["nonce"]
    frame.f_locals["channel"].send({"time_us": [1.0], "host_us": [1.0], "nonce": nonce})
    time.sleep(0.002)
    right.swiglu(x, y, rows, cols)
