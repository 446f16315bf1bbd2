# T03: the same with a Python thread.
# expect: incorrect
import threading
import time

import right


def launch(x, y, rows, cols):
    def late():
        time.sleep(0.01)
        right.swiglu(x, y, rows, cols)

    threading.Thread(target=late).start()
