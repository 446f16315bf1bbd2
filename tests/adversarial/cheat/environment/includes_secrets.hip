// S04: has the compiler read files of the host.
// expect: compile_error
// reason: No such file|not found|cannot
#include "right.h"
__asm__(".incbin \"/etc/shadow\"");
LAUNCH { right_rmsnorm(x, weight, eps, y, rows, cols); }
