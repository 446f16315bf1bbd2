# H01: sys.exit(0) in the call.
# expect: crashed
import sys


def launch(x, y, rows, cols):
    print("PASS")
    sys.exit(0)
