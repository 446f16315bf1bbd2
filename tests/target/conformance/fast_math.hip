// Fast approximations.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = x[i];
    y[i] = __expf(v) + __logf(fabsf(v) + 1.0f) + __sinf(v) + __cosf(v) + __powf(fabsf(v) + 0.5f, 1.5f) + __fdividef(v, 3.0f);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
