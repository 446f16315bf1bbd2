// SwiGLU and int8 quantisation: one block per row; the largest activation first, then everything again, quantised.
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

__device__ float silu(float v) { return v / (1.f + expf(-v)); }

__global__ void __launch_bounds__(kThreads)
silu_quantize_kernel(const scalar_t* x, int8_t* q, float* scale, int64_t hidden) {
  const scalar_t* gate = x + blockIdx.x * (2 * hidden);
  const scalar_t* up = gate + hidden;
  int8_t* out = q + blockIdx.x * hidden;
  float amax = 0.f;
  for (int64_t c = threadIdx.x; c < hidden; c += kThreads)
    amax = fmaxf(amax, fabsf(silu(to_float(gate[c])) * to_float(up[c])));
  const float s = fmaxf(block_max(amax), 1e-8f) / 127.f;
  for (int64_t c = threadIdx.x; c < hidden; c += kThreads)
    out[c] = static_cast<int8_t>(rintf(silu(to_float(gate[c])) * to_float(up[c]) / s));
  if (threadIdx.x == 0) scale[blockIdx.x] = s;
}

extern "C" void launch(const scalar_t* x, int8_t* q, float* scale, int64_t rows, int64_t hidden, hipStream_t stream) {
  silu_quantize_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, q, scale, hidden);
}
