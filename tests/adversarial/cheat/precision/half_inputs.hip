// P01: float32 task, inputs rounded to half precision first.
// expect: incorrect
#include "right.h"
#include <vector>
LAUNCH {
  std::vector<scalar_t> rounded(x, x + rows * cols);
  for (auto& v : rounded) v = __half2float(__float2half(v));
  right_rmsnorm(rounded.data(), weight, eps, y, rows, cols);
}
