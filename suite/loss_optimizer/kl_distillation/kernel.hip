// Distillation loss: one block per row; both maxima, both sums of exponentials, then the divergence.
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
kl_distillation_kernel(const scalar_t* student, const scalar_t* teacher, float temperature, float* loss,
                       int64_t vocab) {
  const scalar_t* s = student + blockIdx.x * vocab;
  const scalar_t* t = teacher + blockIdx.x * vocab;
  const float inverse = 1.f / temperature;
  float top_s = -INFINITY, top_t = -INFINITY;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) {
    top_s = fmaxf(top_s, to_float(s[c]));
    top_t = fmaxf(top_t, to_float(t[c]));
  }
  top_s = block_reduce(top_s, Max());
  top_t = block_reduce(top_t, Max());

  float sum_s = 0.f, sum_t = 0.f;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) {
    sum_s += expf((to_float(s[c]) - top_s) * inverse);
    sum_t += expf((to_float(t[c]) - top_t) * inverse);
  }
  const float log_s = logf(block_reduce(sum_s, Sum()));
  const float log_t = logf(block_reduce(sum_t, Sum()));

  float divergence = 0.f;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) {
    const float a = (to_float(t[c]) - top_t) * inverse - log_t;
    const float b = (to_float(s[c]) - top_s) * inverse - log_s;
    divergence += expf(a) * (a - b);
  }
  divergence = block_reduce(divergence, Sum());
  if (threadIdx.x == 0) loss[blockIdx.x] = divergence * temperature * temperature;
}

extern "C" void launch(const scalar_t* student, const scalar_t* teacher, float temperature, float* loss, int64_t rows,
                       int64_t vocab, hipStream_t stream) {
  kl_distillation_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(student, teacher, temperature, loss, vocab);
}
