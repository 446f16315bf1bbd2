// Log-sum-exp: one block per row; maximum first, then the sum of exponentials.
#include "operator.h"

constexpr int kThreads = 256;

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <typename Combine>
__device__ float block_reduce(float v, Combine combine) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v = combine(v, __shfl_down(v, o));
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  __syncthreads();
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float total = partial[0];
  for (int w = 1; w < kThreads / warpSize; ++w) total = combine(total, partial[w]);
  return total;
}

__global__ void __launch_bounds__(kThreads)
logsumexp_kernel(const scalar_t* x, float* lse, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = fmaxf(top, to_float(row[c]));
  top = block_reduce(top, Max());
  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(to_float(row[c]) - top);
  sum = block_reduce(sum, Sum());
  if (threadIdx.x == 0) lse[blockIdx.x] = top + logf(sum);
}

extern "C" void launch(const scalar_t* x, float* lse, int64_t rows, int64_t cols, hipStream_t stream) {
  logsumexp_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, lse, cols);
}
