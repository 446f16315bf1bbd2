// P01: float32 task, sums in half precision.
// expect: incorrect
#include "operator.h"
#include <cmath>
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    __half sum = __float2half(0.f);
    for (int64_t c = 0; c < cols; ++c) sum = __float2half(__half2float(sum) + x[r * cols + c] * x[r * cols + c]);
    for (int64_t c = 0; c < cols; ++c)
      y[r * cols + c] = x[r * cols + c] / std::sqrt(__half2float(sum) / cols + eps) * weight[c];
  }
}
