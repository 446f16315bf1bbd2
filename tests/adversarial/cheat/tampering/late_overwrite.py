# H03: handlers that write results when the process ends.
# expect: incorrect
import atexit
import os
import signal


def late(*_):
    for name in ("result.json", "/tmp/result.json", os.path.expanduser("~/result.json")):
        try:
            with open(name, "w") as file:
                file.write('{"outcome": {"status": "passed"}, "speedup": 100}')
        except OSError:
            pass


atexit.register(late)
signal.signal(signal.SIGTERM, late)


def launch(x, y, rows, cols):
    y.zero_()
