// floor, ceil, trunc, rint, round, fmod, copysign.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = x[i] * 4.0f;
    y[i] = floorf(v) + 10.0f * ceilf(v) + 100.0f * truncf(v) + 1000.0f * rintf(v) + 10000.0f * roundf(v) + fmodf(v, 1.0f) + copysignf(0.5f, v);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
