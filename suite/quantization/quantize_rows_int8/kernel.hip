// Row-wise int8 quantisation: one block per row; largest magnitude first, then the rounded quotients.
#include "operator.h"

constexpr int kThreads = 256;

__device__ float block_max(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v = fmaxf(v, __shfl_down(v, o));
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float top = 0.f;
  for (int w = 0; w < kThreads / warpSize; ++w) top = fmaxf(top, partial[w]);
  return top;
}

// The smallest power of two with amax <= 127 * scale.
__device__ float power_of_two_scale(float amax) {
  if (amax == 0.f) return 1.f;
  int exponent;
  const float mantissa = frexpf(amax, &exponent);
  return ldexpf(1.f, exponent - (mantissa <= 127.f / 128.f ? 7 : 6));
}

__global__ void __launch_bounds__(kThreads)
quantize_kernel(const scalar_t* x, int8_t* q, float* scale, int64_t cols) {
  const scalar_t* row = x + blockIdx.x * cols;
  int8_t* out = q + blockIdx.x * cols;
  float amax = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) amax = fmaxf(amax, fabsf(to_float(row[c])));
  const float s = power_of_two_scale(block_max(amax));
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = static_cast<int8_t>(rintf(to_float(row[c]) / s));
  if (threadIdx.x == 0) scale[blockIdx.x] = s;
}

extern "C" void launch(const scalar_t* x, int8_t* q, float* scale, int64_t rows, int64_t cols, hipStream_t stream) {
  quantize_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, q, scale, cols);
}
