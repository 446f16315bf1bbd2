// K05: remembers the output by the scalar argument and the shape.
// expect: incorrect
#include "right.h"
#include <map>
#include <vector>
LAUNCH {
  static std::map<float, std::vector<scalar_t>> cache;
  auto& out = cache[eps < 1e-5f];
  if (out.empty()) {
    out.resize(rows * cols);
    right_rmsnorm(x, weight, eps, out.data(), rows, cols);
  }
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = out[i];
}
