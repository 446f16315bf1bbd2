# An exception whose text is no valid Unicode.
# expect: crashed
# reason: ValueError
def launch(x, y, rows, cols):
    raise ValueError("\ud800 \x00 \x1b[2J")
