# R03: looks through all objects for a tensor of the output's shape that is not the output.
# expect: incorrect
import gc

import torch


def launch(x, y, rows, cols):
    for thing in gc.get_objects():
        if isinstance(thing, torch.Tensor) and thing.shape == y.shape and thing.data_ptr() != y.data_ptr():
            y.copy_(thing)
