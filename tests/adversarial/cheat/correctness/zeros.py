# C01: zeros.
# expect: incorrect
def launch(x, y, rows, cols):
    y.zero_()
