// C20: epsilon is taken to be the usual 1e-6.
// expect: incorrect
#include "right.h"
LAUNCH { right_rmsnorm(x, weight, 1e-6f, y, rows, cols); }
