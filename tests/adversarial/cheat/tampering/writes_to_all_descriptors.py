# H02: writes a pass line and a result to every descriptor that it has, its channel included.
# expect: crashed|timeout
# call_s: 3
import os


def launch(x, y, rows, cols):
    for fd in range(64):
        try:
            os.write(fd, b'PASS\n{"outcome": "passed", "speedup": 100.0}\n')
        except OSError:
            continue
