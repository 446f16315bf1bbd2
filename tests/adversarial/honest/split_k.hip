// Split-K: blocks add their parts of the inner dimension to the output by atomics; the last bits vary with the order.
// expect: passed
// task: hip2hip/gemm_f32
#include "operator.h"
__global__ void part(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t depth) {
  const int64_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m * n) return;
  const int64_t row = i / n, col = i % n, first = blockIdx.y * depth;
  float sum = 0.f;
  for (int64_t l = first; l < first + depth && l < k; ++l) sum += a[row * k + l] * b[l * n + col];
  atomicAdd(&c[i], sum);
}
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t stream) {
  (void)hipMemsetAsync(c, 0, m * n * sizeof(float), stream);
  const int64_t depth = (k + 3) / 4;
  part<<<dim3((m * n + 63) / 64, 4), dim3(64), 0, stream>>>(a, b, c, m, n, k, depth);
}
