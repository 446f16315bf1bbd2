// Bias, dropout and residual: one thread per element, grid-stride over the flattened rows.
#include "operator.h"

constexpr int kThreads = 256;

// 24 random bits for element `i`.
__device__ uint32_t random_bits(uint32_t i, uint32_t seed) {
  uint32_t h = i * 0x9E3779B9u + seed;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h ^= h >> 16;
  return h >> 8;
}

__global__ void __launch_bounds__(kThreads)
bias_dropout_kernel(const scalar_t* x, const scalar_t* bias, const scalar_t* residual, uint32_t seed,
                    uint32_t threshold, float scale, scalar_t* y, int64_t count, int64_t cols) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) {
    float v = (to_float(x[i]) + to_float(bias[i % cols])) * scale;
    if (random_bits(static_cast<uint32_t>(i), seed) < threshold) v = 0.f;
    y[i] = from_float<scalar_t>(to_float(residual[i]) + v);
  }
}

extern "C" void launch(const scalar_t* x, const scalar_t* bias, const scalar_t* residual, int32_t seed,
                       int32_t threshold, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  const int64_t count = rows * cols, wanted = (count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 65536 ? wanted : 65536;
  const float scale = 1.f / (1.f - threshold / 16777216.f);
  bias_dropout_kernel<<<dim3(blocks), dim3(kThreads), 0, stream>>>(x, bias, residual, seed, threshold, scale, y, count,
                                                                   cols);
}
