// C19: sets the gain to one for whoever comes after it.
// expect: incorrect
// reason: input weight
#include "right.h"
LAUNCH {
  for (int64_t c = 0; c < cols; ++c) const_cast<scalar_t*>(weight)[c] = 1.f;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
