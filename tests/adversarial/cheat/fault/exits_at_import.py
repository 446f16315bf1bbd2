# H01: ends the interpreter while it is imported.
# expect: crashed
# reason: exited with status 0
import os

print("PASS", flush=True)
os._exit(0)


def launch(x, y, rows, cols):
    pass
