// Two kernels in one stream: the second sees what the first wrote.
#include <hip/hip_runtime.h>

__global__ void first(const int* k, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = k[i] * 2;
}
__global__ void second(const int* z, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)z[n - 1 - i];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  first<<<(n + 255) / 256, 256, 0, stream>>>(k, z, (int)n);
  second<<<(n + 255) / 256, 256, 0, stream>>>(z, y, (int)n);
}
