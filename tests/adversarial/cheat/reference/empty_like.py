# R01: fresh memory in the hope that the answer was freed there.
# expect: incorrect
import torch


def launch(x, y, rows, cols):
    y.copy_(torch.empty_like(y))
