// Euclidean normalisation: one block of 128 threads per row; sum of squares, then the quotients.
#include "operator.h"

constexpr int kThreads = 128;

__device__ float block_sum(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < kThreads / warpSize; ++w) sum += partial[w];
  return sum;
}

__global__ void __launch_bounds__(kThreads)
l2norm_kernel(const scalar_t* x, float eps, scalar_t* y, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  scalar_t* out = y + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float v = to_float(row[c]);
    sum += v * v;
  }
  const float scale = 1.f / fmaxf(sqrtf(block_sum(sum)), eps);
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = from_float<scalar_t>(to_float(row[c]) * scale);
}

extern "C" void launch(const scalar_t* x, float eps, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  l2norm_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, eps, y, cols);
}
