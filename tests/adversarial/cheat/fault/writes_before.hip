// C16: writes before the beginning of its output.
// expect: incorrect
// reason: outside its outputs: guard band of y \(before\)
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  y[-1] = 1.f;
}
