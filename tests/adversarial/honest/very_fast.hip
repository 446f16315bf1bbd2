// A true speedup of an order of magnitude: nothing refuses what is merely fast.
// expect: passed
// speedup: > 3
#include "right.h"
LAUNCH { right_rmsnorm(x, weight, eps, y, rows, cols); }
