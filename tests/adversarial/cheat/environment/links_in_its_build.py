# H04: leaves links to files of the host in the folder that is copied when it has been compiled.
# expect: passed
# raw: yes
import glob
import os
import sys

import honest
import right


def _plant(*arguments):
    for out in [*glob.glob("/tmp/aka-build-*/out"), *glob.glob("/tmp/aka-build-*/out/source")]:
        try:
            os.symlink("/etc/hostname", os.path.join(out, "planted_link"))
            os.mkfifo(os.path.join(out, "planted_pipe"))
        except OSError:
            continue
    honest.launch(*arguments)


def _look(x, y, rows, cols):
    here = os.path.dirname(os.path.abspath(__file__))
    assert not glob.glob(os.path.join(here, "**", "planted*"), recursive=True)
    right.swiglu(x, y, rows, cols)


launch = _look if "agentkernelarena.judge.worker.loop" in sys.modules else _plant
