// Cross entropy with label smoothing: one block per row; maximum first, then the sums.
#include "operator.h"

constexpr int kThreads = 512;
constexpr int64_t kIgnored = -100;

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
cross_entropy_kernel(const scalar_t* logits, const int64_t* target, float smoothing, float* loss, int64_t vocab) {
  const scalar_t* row = logits + blockIdx.x * vocab;
  const int64_t label = target[blockIdx.x];
  if (label == kIgnored) {
    if (threadIdx.x == 0) loss[blockIdx.x] = 0.f;
    return;
  }
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) top = fmaxf(top, to_float(row[c]));
  top = block_reduce(top, Max());

  float exponentials = 0.f, differences = 0.f;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) {
    const float d = to_float(row[c]) - top;
    exponentials += expf(d);
    differences += d;
  }
  const float log_sum = logf(block_reduce(exponentials, Sum()));
  const float mean = block_reduce(differences, Sum()) / vocab;
  if (threadIdx.x == 0) {
    const float hit = to_float(row[label]) - top;
    loss[blockIdx.x] = (1.f - smoothing) * (log_sum - hit) + smoothing * (log_sum - mean);
  }
}

extern "C" void launch(const scalar_t* logits, const int64_t* target, float smoothing, float* loss, int64_t rows,
                       int64_t vocab, hipStream_t stream) {
  cross_entropy_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(logits, target, smoothing, loss, vocab);
}
