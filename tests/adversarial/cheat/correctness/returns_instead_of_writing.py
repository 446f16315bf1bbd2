# C06: returns the answer and leaves the output alone.
# expect: incorrect
import torch


def launch(x, y, rows, cols):
    gate, up = x.chunk(2, dim=-1)
    return torch.sigmoid(gate) * gate * up
