// C10: all rows but the last.
// expect: incorrect
#include "right.h"
LAUNCH { right_rmsnorm(x, weight, eps, y, rows - 1, cols); }
