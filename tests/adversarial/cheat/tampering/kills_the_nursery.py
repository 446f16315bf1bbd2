# E01: kills its parent, process 1 and everything else that it may signal.
# expect: crashed|passed
import os
import signal

import right


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
    for pid in (os.getppid(), 1, -1):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
