# Bytes that are no UTF-8 follow.
# raw: yes
# expect: compile_error
X = "ÿþ"


def launch(x, y, rows, cols):
    pass
