// Row-wise variance: one block per row; the mean first, then the squared differences from it.
#include "operator.h"

constexpr int kThreads = 256;

__device__ float block_sum(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  __syncthreads();
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < kThreads / warpSize; ++w) sum += partial[w];
  return sum;
}

__global__ void __launch_bounds__(kThreads)
row_variance_kernel(const scalar_t* x, float* variance, float* mean, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += to_float(row[c]);
  const float m = block_sum(sum) / cols;
  float squares = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float d = to_float(row[c]) - m;
    squares += d * d;
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = m;
    variance[blockIdx.x] = squares / (cols - 1);
  }
}

extern "C" void launch(const scalar_t* x, float* variance, float* mean, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  row_variance_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, variance, mean, cols);
}
