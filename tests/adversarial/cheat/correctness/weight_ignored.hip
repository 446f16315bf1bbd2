// C20: the gain is taken to be one.
// expect: incorrect
#include "right.h"
#include <vector>
LAUNCH {
  std::vector<scalar_t> one(cols, from_float<scalar_t>(1.f));
  right_rmsnorm(x, one.data(), eps, y, rows, cols);
}
