// P01: full precision for the first calls, half precision afterwards.
// expect: incorrect
// reason: while timed
#include "right.h"
LAUNCH {
  static int calls = 0;
  right_rmsnorm(x, weight, eps, y, rows, cols);
  if (++calls > 5)
    for (int64_t i = 0; i < rows * cols; ++i) y[i] = __half2float(__float2half(y[i]));
}
