// P01: a half-precision product whose sums stay in half precision, where float32 accumulation is declared.
// expect: incorrect
// task: hip2hip/gemm_half
#include "operator.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, scalar_t* y, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      scalar_t sum = from_float<scalar_t>(0.f);
      for (int64_t l = 0; l < k; ++l)
        sum = from_float<scalar_t>(to_float(sum) + to_float(from_float<scalar_t>(to_float(x[i * k + l]) * to_float(weight[j * k + l]))));
      y[i * n + j] = sum;
    }
}
