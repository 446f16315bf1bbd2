// C13: reads shared memory that other threads have not written yet.
// expect: incorrect
#include "operator.h"
__global__ void normalise(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t cols) {
  __shared__ float squares[256];
  const scalar_t* row = x + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += 256) sum += row[c] * row[c];
  squares[threadIdx.x] = sum;
  float total = 0.f;
  for (int t = 0; t < 256; ++t) total += squares[t];
  for (int64_t c = threadIdx.x; c < cols; c += 256) y[blockIdx.x * cols + c] = row[c] * rsqrtf(total / cols + eps) * weight[c];
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  normalise<<<dim3(rows), dim3(256), 0, stream>>>(x, weight, eps, y, cols);
}
