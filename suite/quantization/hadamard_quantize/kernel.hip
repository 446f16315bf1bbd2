// Hadamard rotation and int8 quantisation: one block per row; all rounds of the fast transform in LDS.
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
hadamard_quantize_kernel(const scalar_t* x, int8_t* q, float* scale, int cols) {
  extern __shared__ float h[];
  const int64_t base = static_cast<int64_t>(blockIdx.x) * cols;
  for (int c = threadIdx.x; c < cols; c += kThreads) h[c] = to_float(x[base + c]);
  __syncthreads();
  for (int distance = 1; distance < cols; distance *= 2) {
    for (int pair = threadIdx.x; pair < cols / 2; pair += kThreads) {
      const int first = pair / distance * 2 * distance + pair % distance;
      const float a = h[first], b = h[first + distance];
      h[first] = a + b;
      h[first + distance] = a - b;
    }
    __syncthreads();
  }
  float amax = 0.f;
  for (int c = threadIdx.x; c < cols; c += kThreads) amax = fmaxf(amax, fabsf(h[c]));
  const float s = power_of_two_scale(block_max(amax));
  for (int c = threadIdx.x; c < cols; c += kThreads) q[base + c] = static_cast<int8_t>(rintf(h[c] / s));
  if (threadIdx.x == 0) scale[blockIdx.x] = s / sqrtf(cols);
}

extern "C" void launch(const scalar_t* x, int8_t* q, float* scale, int64_t rows, int64_t cols, hipStream_t stream) {
  hadamard_quantize_kernel<<<dim3(rows), dim3(kThreads), cols * sizeof(float), stream>>>(x, q, scale, cols);
}
