# P06: lowers the precision of its own process; the judge's references are computed elsewhere.
# expect: incorrect
import torch

torch.set_default_dtype(torch.float16)
torch.set_float32_matmul_precision("medium")


def launch(x, y, rows, cols):
    gate, up = x.half().chunk(2, dim=-1)
    y.copy_(gate * torch.sigmoid(gate) * up)
