// Sum of a wave by shuffles.
#include <hip/hip_runtime.h>

template <typename T>
__device__ __forceinline__ T wave_sum(T v) {
  for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down(v, o);
  return v;
}

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  const int s = __shfl(wave_sum(v), 0);
  if (i < n) z[i] = s;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
