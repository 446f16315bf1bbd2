# Raises while it is imported.
# raw: yes
# expect: compile_error
# reason: no such luck
def launch(x, y, rows, cols):
    pass


raise RuntimeError("no such luck")
