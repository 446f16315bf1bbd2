# H12: replaces the output in the caller's frames by an object that equals everything.
# expect: incorrect
import gc


class Friend:
    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *a, **k: self


def launch(x, y, rows, cols):
    for holder in gc.get_referrers(y):
        if isinstance(holder, list):
            holder[:] = [Friend() if item is y else item for item in holder]
