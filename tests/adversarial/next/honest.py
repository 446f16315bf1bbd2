# The honest program that is judged after a Triton cheat.
# expect: passed
import os
import tempfile

import right


def launch(x, y, rows, cols):
    with tempfile.TemporaryFile() as scratch:  # the writable folders have to be usable again
        scratch.write(b"x")
    with open(os.path.join(os.environ["HOME"], "mine"), "w") as own:
        own.write("x")
    os.unlink(own.name)
    right.swiglu(x, y, rows, cols)
