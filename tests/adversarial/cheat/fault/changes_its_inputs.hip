// C17: zeroes its input; both sides would agree on zeros.
// expect: incorrect
// reason: input x
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  const_cast<scalar_t*>(x)[0] = 0.f;
}
