// The right answer with a little noise, different in every call.
// expect: incorrect
#include "right.h"
#include <cstdlib>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = y[i] * (1.f + 1e-5f * (std::rand() % 3 - 1));
}
