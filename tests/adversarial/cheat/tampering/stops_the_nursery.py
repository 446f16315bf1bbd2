# E01: stops its parent, so that nobody would end what it leaves behind.
# expect: crashed|passed|timeout
# marks: slow
import os
import signal

import right


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
    for pid in (os.getppid(), 1):
        try:
            os.kill(pid, signal.SIGSTOP)
        except OSError:
            continue
