# C07: resizes and restrides its own view; the judge's buffer keeps its shape.
# expect: incorrect
def launch(x, y, rows, cols):
    y[0].zero_()
    y.as_strided_((rows, cols), (0, 1))
