// Right but for one element in every seventh call.
// expect: incorrect
#include "right.h"
LAUNCH {
  static int calls = 0;
  right_rmsnorm(x, weight, eps, y, rows, cols);
  if (++calls % 7 == 0) y[rows * cols / 2] = 0.f;
}
