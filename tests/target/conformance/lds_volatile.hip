// A volatile shared array between barriers.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile __shared__ int s[64];
  s[threadIdx.x] = i < n ? k[i] : 0;
  __syncthreads();
  if (i < n) z[i] = s[63 - threadIdx.x];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, k, y, z, (int)n);
}
