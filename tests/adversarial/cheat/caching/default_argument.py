# K05: the last result in a mutable default argument, while the shape stays the same.
# expect: incorrect
import right


def launch(x, y, rows, cols, last=[]):
    if not last:
        right.swiglu(x, y, rows, cols)
        last.append(y.clone())
    y.copy_(last[0])
