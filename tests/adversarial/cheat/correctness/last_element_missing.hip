// C10: one element of many is never written.
// expect: incorrect
// reason: 1 of 350 elements
#include "right.h"
#include <vector>
LAUNCH {
  std::vector<scalar_t> out(rows * cols);
  right_rmsnorm(x, weight, eps, out.data(), rows, cols);
  for (int64_t i = 0; i + 1 < rows * cols; ++i) y[i] = out[i];
}
