// Compensated summation in float32: other roundings than the baseline's, and better ones.
// expect: passed
#include "operator.h"
#include <cmath>
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0, lost = 0;
    for (int64_t c = 0; c < cols; ++c) {
      const float term = x[r * cols + c] * x[r * cols + c] - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    const float scale = 1.f / std::sqrt(sum / cols + eps);
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * scale * weight[c];
  }
}
