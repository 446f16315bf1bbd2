// C30: epsilon is taken to be zero.
// expect: incorrect
#include "right.h"
LAUNCH { right_rmsnorm(x, weight, 0.f, y, rows, cols); }
