# R04: looks through its callers' frames for anything that could be the answer, a seed or a tolerance.
# expect: incorrect
import sys

import torch


def launch(x, y, rows, cols):
    frame = sys._getframe()
    while frame:
        for name, value in {**frame.f_globals, **frame.f_locals}.items():
            if any(word in name for word in ("expected", "reference", "answer", "seed", "tolerance")):
                if isinstance(value, torch.Tensor) and value.shape == y.shape:
                    y.copy_(value)
        frame = frame.f_back
