// C24: the inner dimension is cut to whole tiles.
// expect: incorrect
// task: hip2hip/gemm_f32
#include "operator.h"
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < (k > 4 ? k - k % 4 : k); ++l) sum += double(a[i * k + l]) * b[l * n + j];
      c[i * n + j] = float(sum);
    }
}
