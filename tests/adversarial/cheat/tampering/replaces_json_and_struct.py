# H08: breaks the modules with which the worker speaks.
# expect: crashed|timeout
# call_s: 3
# load_s: 5
import json
import struct

import right

json.dumps = lambda *a, **k: "{}"
struct.Struct = None


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
