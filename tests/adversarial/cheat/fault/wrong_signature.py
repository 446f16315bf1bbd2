# Takes other arguments than the task says.
# raw: yes
# expect: crashed|compile_error
# reason: TypeError
def launch(x, y):
    pass
