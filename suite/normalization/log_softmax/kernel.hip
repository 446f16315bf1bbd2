// Log-softmax: one block per row; maximum, sum of exponentials, then the differences.
#include "operator.h"

constexpr int kThreads = 512;

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
log_softmax_kernel(const scalar_t* x, scalar_t* y, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  scalar_t* out = y + blockIdx.x * cols;
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = fmaxf(top, to_float(row[c]));
  top = block_reduce(top, Max());

  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(to_float(row[c]) - top);
  const float log_sum = logf(block_reduce(sum, Sum()));

  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = from_float<scalar_t>(to_float(row[c]) - top - log_sum);
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  log_softmax_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, y, cols);
}
