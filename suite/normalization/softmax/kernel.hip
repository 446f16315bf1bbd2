// Softmax over rows: one block per row, three passes: maximum, sum of exponentials, output.
#include "operator.h"

constexpr int kThreads = 256;
constexpr float kNegativeInfinity = -__builtin_huge_valf();

struct Max {
  static __device__ float apply(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float apply(float a, float b) { return a + b; }
};

// Combines v over the block; every thread gets the result.
template <typename Op>
__device__ float block_reduce(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v = Op::apply(v, __shfl_down(v, o));
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float result = partial[0];
  for (int w = 1; w < kThreads / warpSize; ++w) result = Op::apply(result, partial[w]);
  __syncthreads();
  return result;
}

__global__ void __launch_bounds__(kThreads) softmax_kernel(const scalar_t* x, scalar_t* y, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  scalar_t* out = y + blockIdx.x * cols;

  float largest = kNegativeInfinity;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) largest = fmaxf(largest, to_float(row[c]));
  largest = block_reduce<Max>(largest);

  float sum = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(to_float(row[c]) - largest);
  const float scale = 1.f / block_reduce<Sum>(sum);

  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = from_float<scalar_t>(expf(to_float(row[c]) - largest) * scale);
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  softmax_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, y, cols);
}
