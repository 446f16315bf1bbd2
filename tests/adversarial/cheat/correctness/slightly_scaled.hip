// C09: the right answer times 1.00001, which no cosine sees.
// expect: incorrect
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = y[i] * 1.00001f;
}
