# Not Python; the error is on line 7.
# raw: yes
# expect: compile_error
# reason: kernel\.py:7
import right

def launch(x, y, rows, cols) return right.swiglu(x, y, rows, cols)
