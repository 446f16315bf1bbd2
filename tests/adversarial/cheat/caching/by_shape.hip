// K05: returns the first answer for every later call of the same shape.
// expect: incorrect
#include "right.h"
#include <map>
#include <vector>
LAUNCH {
  static std::map<std::pair<int64_t, int64_t>, std::vector<scalar_t>> cache;
  auto& out = cache[{rows, cols}];
  if (out.empty()) {
    out.resize(rows * cols);
    right_rmsnorm(x, weight, eps, out.data(), rows, cols);
  }
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = out[i];
}
