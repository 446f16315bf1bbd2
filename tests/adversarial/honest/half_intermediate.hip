// Half-precision task: converts while loading and storing, sums in float32.
// expect: passed
// task: hip2hip/gemm_half
#include "operator.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, scalar_t* y, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.f;
      for (int64_t l = 0; l < k; ++l) sum += to_float(x[i * k + l]) * to_float(weight[j * k + l]);
      y[i * n + j] = from_float<scalar_t>(sum);
    }
}
