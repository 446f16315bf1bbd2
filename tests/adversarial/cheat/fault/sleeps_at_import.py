# Never finishes its import.
# expect: timeout
# load_s: 3
import time

time.sleep(1000)


def launch(x, y, rows, cols):
    pass
