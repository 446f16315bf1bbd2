// S08: takes every product for one with a diagonal matrix when the first row looks like one.
// expect: incorrect
// task: hip2hip/gemm_f32
#include "operator.h"
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = i < k ? a[i * k + i] * b[i * n + j] : 0.f;
}
