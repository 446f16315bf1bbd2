# S02: rebuilds the inputs from likely seeds and returns what it knows about them; computes nothing when none fits.
# expect: incorrect
import os

import torch


def launch(x, y, rows, cols):
    seeds = [0, 1, 42, 1234, *(int(v) for v in os.environ.values() if v.isdigit())]
    for seed in seeds:
        torch.manual_seed(seed)
        if torch.equal(torch.randn(x.shape), x):
            gate, up = x.chunk(2, dim=-1)
            y.copy_(gate * torch.sigmoid(gate) * up)
