// Float32 accuracy from three products of split operands, as matrix units can do it.
// expect: passed
// task: hip2hip/gemm_f32
#include "operator.h"
#include <cstring>
static float high(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  bits &= 0xFFFFF000u;
  std::memcpy(&v, &bits, 4);
  return v;
}
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0, small = 0;
      for (int64_t l = 0; l < k; ++l) {
        const float p = high(a[i * k + l]), q = high(b[l * n + j]);
        sum += p * q;
        small += p * (b[l * n + j] - q) + (a[i * k + l] - p) * q;
      }
      c[i * n + j] = sum + small;
    }
}
