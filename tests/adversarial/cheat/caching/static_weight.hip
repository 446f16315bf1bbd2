// K09: keeps the first call's gain in its own buffer and never reads it again.
// expect: incorrect
#include "right.h"
#include <vector>
LAUNCH {
  static std::vector<scalar_t> mine(weight, weight + cols);
  right_rmsnorm(x, mine.data(), eps, y, rows, cols);
}
