// Plain sequential float32 sums: the least careful way that the declared accumulation allows.
// expect: passed
// task: hip2hip/gemm_f32
#include "operator.h"
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}
