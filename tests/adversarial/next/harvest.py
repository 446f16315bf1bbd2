# Honest, unless it finds anything that an earlier program left for it: then it raises.
# expect: passed
import glob
import os
import sys

import right


def launch(x, y, rows, cols):
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
        os.chmod(folder, 0o777)
        for parent, folders, files in os.walk(folder):
            device = os.stat(parent).st_dev
            # Not what is mounted there, for the interpreter or the package.
            folders[:] = [f for f in folders if os.lstat(os.path.join(parent, f)).st_dev == device]
            assert not files, (parent, files)
    found = [f for pattern in ("/*planted*", "/dev/*planted*", "/inbox/*planted*") for f in glob.glob(pattern)]
    found += [m for m in sys.modules if "planted" in m] + [v for v in os.environ if "PLANTED" in v]
    assert not found, found
    right.swiglu(x, y, rows, cols)
