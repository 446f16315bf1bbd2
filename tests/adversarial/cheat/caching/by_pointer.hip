// K01: remembers the output by the address of the input.
// expect: incorrect
#include "right.h"
#include <map>
#include <vector>
LAUNCH {
  static std::map<const void*, std::vector<scalar_t>> cache;
  auto& out = cache[x];
  if (out.empty()) {
    out.resize(rows * cols);
    right_rmsnorm(x, weight, eps, out.data(), rows, cols);
  }
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = out[i];
}
