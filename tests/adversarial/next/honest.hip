// RMS normalisation: one block per row, two passes over it.
#include "operator.h"

constexpr int kThreads = 256;

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
rmsnorm_kernel(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  scalar_t* out = y + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float v = to_float(row[c]);
    sum += v * v;
  }
  const float scale = rsqrtf(block_sum(sum) / cols + eps);
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = from_float<scalar_t>(to_float(row[c]) * scale * to_float(weight[c]));
}

extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  rmsnorm_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, weight, eps, y, cols);
}
