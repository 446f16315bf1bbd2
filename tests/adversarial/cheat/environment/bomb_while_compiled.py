# E01: processes without end while it is compiled.
# raw: yes
# expect: compile_error|timeout
# compile_s: 15
import os
import sys

if "agentkernelarena.judge.worker.loop" not in sys.modules:
    while True:
        try:
            os.fork()
        except OSError:
            pass


def launch(x, y, rows, cols):
    pass
