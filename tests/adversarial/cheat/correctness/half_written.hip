// C12: writes every second element and trusts that the rest holds something good.
// expect: incorrect
#include "right.h"
#include <vector>
LAUNCH {
  std::vector<scalar_t> out(rows * cols);
  right_rmsnorm(x, weight, eps, out.data(), rows, cols);
  for (int64_t i = 0; i < rows * cols; i += 2) y[i] = out[i];
}
