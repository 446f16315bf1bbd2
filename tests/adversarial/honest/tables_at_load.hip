// A table of constants that is computed once, when the library is loaded.
// expect: passed
// task: hip2hip/swiglu
#include "operator.h"
#include <cmath>
#include <vector>
static const std::vector<double> powers = [] {
  std::vector<double> v(256);
  for (int i = 0; i < 256; ++i) v[i] = std::exp(double(i - 128));
  return v;
}();
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const double g = x[r * 2 * cols + c], whole = std::rint(g);
      const double e = std::fabs(whole) < 128 ? powers[int(-whole) + 128] * std::exp(whole - g) : std::exp(-g);
      y[r * cols + c] = float(g / (1.0 + e) * x[r * 2 * cols + cols + c]);
    }
}
