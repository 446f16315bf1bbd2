// Layer normalisation: one block per row; mean, then variance, then the result.
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
layernorm_kernel(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, float eps, scalar_t* y,
                 int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  scalar_t* out = y + blockIdx.x * cols;
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += to_float(row[c]);
  const float mean = block_sum(sum) / cols;

  float squares = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float d = to_float(row[c]) - mean;
    squares += d * d;
  }
  const float scale = rsqrtf(block_sum(squares) / cols + eps);

  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = from_float<scalar_t>((to_float(row[c]) - mean) * scale * to_float(weight[c]) + to_float(bias[c]));
}

extern "C" void launch(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, float eps, scalar_t* y,
                       int64_t rows, int64_t cols, hipStream_t stream) {
  layernorm_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, weight, bias, eps, y, cols);
}
