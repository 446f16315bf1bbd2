# Raises in the call.
# expect: crashed
# reason: ZeroDivisionError
def launch(x, y, rows, cols):
    y.fill_(1 / 0)
