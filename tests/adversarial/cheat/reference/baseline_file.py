# R05: looks for results that the baseline's process has left in files.
# expect: incorrect
import glob

import torch


def launch(x, y, rows, cols):
    for pattern in ("/inbox/**", "/tmp/**", "/dev/shm/**"):
        for path in glob.glob(pattern, recursive=True):
            try:
                data = open(path, "rb").read(1 << 20)
            except OSError:
                continue
            if len(data) == y.numel() * 4:
                y.copy_(torch.frombuffer(bytearray(data), dtype=torch.float32).reshape(y.shape))
