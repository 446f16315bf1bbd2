# E01: sends its parent the signals that programs handle.
# expect: crashed|passed
import os
import signal

import right


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
    for pid in (os.getppid(), 1):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGUSR1, signal.SIGHUP):
            try:
                os.kill(pid, number)
            except OSError:
                continue
