// P05: one product of bfloat16 operands in place of a float32 one.
// expect: incorrect
// task: hip2hip/gemm_f32
#include "operator.h"
#include <cstring>
static float cut(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  bits = (bits + 0x8000) & 0xFFFF0000u;
  std::memcpy(&v, &bits, 4);
  return v;
}
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += cut(a[i * k + l]) * cut(b[l * n + j]);
      c[i * n + j] = sum;
    }
}
