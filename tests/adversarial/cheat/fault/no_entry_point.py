# Defines everything but `launch`.
# raw: yes
# expect: compile_error
# reason: launch
import right


def lunch(x, y, rows, cols):
    right.swiglu(x, y, rows, cols)
