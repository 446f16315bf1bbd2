// RMS normalisation of rows in half precision: templates, wavefront shuffles of any width, dynamic LDS, launch bounds.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

template <typename T>
__device__ T wave_sum(T v) {
  for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_xor(v, step);
  return v;
}

template <int threads>
__global__ void __launch_bounds__(threads) rmsnorm(const __half2* x, const __half* weight, __half2* y, int pairs, float eps) {
  extern __shared__ float partial[];
  const __half2* row = x + static_cast<size_t>(blockIdx.x) * pairs;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += threads) {
    const float2 v = __half22float2(row[i]);
    sum += v.x * v.x + v.y * v.y;
  }
  sum = wave_sum(sum);
  const int wave = threadIdx.x / warpSize;
  if (threadIdx.x % warpSize == 0) partial[wave] = sum;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < threads / warpSize; ++w) total += partial[w];
  const float scale = rsqrtf(total / static_cast<float>(2 * pairs) + eps);
  for (int i = threadIdx.x; i < pairs; i += threads) {
    const __half2 w = __halves2half2(weight[2 * i], weight[2 * i + 1]);
    y[static_cast<size_t>(blockIdx.x) * pairs + i] = __hmul2(row[i], __hmul2(w, __float2half2_rn(scale)));
  }
}

extern "C" void launch(const void* x, const void* weight, void* y, float eps, int64_t rows, int64_t cols, hipStream_t stream) {
  rmsnorm<256><<<dim3(rows), dim3(256), 8 * sizeof(float), stream>>>(
      static_cast<const __half2*>(x), static_cast<const __half*>(weight), static_cast<__half2*>(y), cols / 2, eps);
}
