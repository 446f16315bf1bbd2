// min and max of integers and floats, fminf and fmaxf.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    z[i] = min(k[i], 100) + max(k[i], -100);
    y[i] = fminf(x[i], 0.5f) + fmaxf(x[i], -0.5f) + min(x[i], 0.25f) + max(x[i], 0.75f);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
