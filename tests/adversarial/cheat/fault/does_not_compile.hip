// A typing error on line 6 of the source.
// expect: compile_error
// reason: kernel\.hip:6
#include "right.h"

LAUNCH { right_rmsnorm(x, weight, eps, y, rows, cols) }
