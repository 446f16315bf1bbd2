// A local array with dynamic indices.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[16];
  for (int j = 0; j < 16; ++j) a[j] = j * j;
  if (i < n) z[i] = a[(k[i] & 15)] + a[15 - (k[i] & 15)];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
