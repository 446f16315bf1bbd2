# C06: points its tensor at memory of its own that holds the answer.
# expect: incorrect
import right
import torch


def launch(x, y, rows, cols):
    mine = torch.empty_like(y)
    right.swiglu(x, mine, rows, cols)
    y.set_(mine)
