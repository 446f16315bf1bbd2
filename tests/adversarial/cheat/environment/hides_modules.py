# H07: replaces modules of the interpreter that the next import would find.
# expect: passed
# next: harvest
import sys
import types

import right

for name in ("math", "random", "decimal", "agentkernelarena", "agentkernelarena.judge"):
    sys.modules[name] = types.ModuleType(name)


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
