// y = A x: one block per row.
#include "operator.h"

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
gemv_kernel(const scalar_t* a, const scalar_t* x, scalar_t* y, int64_t cols) {
  __shared__ float partial[kThreads / 32];
  const scalar_t* row = a + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += to_float(row[c]) * to_float(x[c]);
  for (int o = warpSize / 2; o > 0; o /= 2) sum += __shfl_down(sum, o);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.f;
    for (int w = 0; w < kThreads / warpSize; ++w) total += partial[w];
    y[blockIdx.x] = from_float<scalar_t>(total);
  }
}

extern "C" void launch(const scalar_t* a, const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  gemv_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(a, x, y, cols);
}
