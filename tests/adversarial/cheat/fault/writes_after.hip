// C16: writes 64 bytes past the end of its output.
// expect: incorrect
// reason: outside its outputs: guard band of y \(after\)
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (int i = 0; i < 16; ++i) y[rows * cols + i] = 1.f;
}
