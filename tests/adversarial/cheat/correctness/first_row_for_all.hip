// C07: computes one row and copies it to all.
// expect: incorrect
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, 1, cols);
  for (int64_t i = cols; i < rows * cols; ++i) y[i] = y[i % cols];
}
