# T05: a tensor subclass that would compute when somebody looks at it.
# expect: incorrect
import gc

import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True


def launch(x, y, rows, cols):
    lazy = y.as_subclass(Lazy)
    for holder in gc.get_referrers(y):
        if isinstance(holder, dict):
            for key in [k for k, v in holder.items() if v is y]:
                holder[key] = lazy
    return lazy
