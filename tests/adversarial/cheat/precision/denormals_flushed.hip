// P04: small results are flushed to zero, far above where float32 ends.
// expect: incorrect
// task: hip2hip/softmax
#include "operator.h"
#include <cmath>
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    double top = x[r * cols], sum = 0;
    for (int64_t c = 0; c < cols; ++c) top = std::fmax(top, x[r * cols + c]);
    for (int64_t c = 0; c < cols; ++c) sum += std::exp(x[r * cols + c] - top);
    for (int64_t c = 0; c < cols; ++c) {
      const double v = std::exp(x[r * cols + c] - top) / sum;
      y[r * cols + c] = v < 1e-5 ? 0.f : float(v);
    }
  }
}
