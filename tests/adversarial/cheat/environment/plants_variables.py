# H07: sets variables and writes modules for whoever is started next.
# expect: passed
# next: harvest
import os
import sys

import right

for name in ("PLANTED", "LD_PRELOAD", "PYTHONPATH", "PYTHONSTARTUP", "TRITON_CACHE_DIR"):
    os.environ[name] = "/tmp/planted"
sys.modules["planted"] = sys
for folder in [*sys.path, "/tmp", os.environ["HOME"], "/usr/lib"]:
    try:
        with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
            file.write("raise SystemExit(0)\n")
    except OSError:
        continue


def launch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
