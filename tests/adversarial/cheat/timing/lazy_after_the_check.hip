// S06: right for the first five calls, then returns at once.
// expect: incorrect
// reason: while timed
#include "right.h"
LAUNCH {
  static int calls = 0;
  if (calls++ < 5) right_rmsnorm(x, weight, eps, y, rows, cols);
}
