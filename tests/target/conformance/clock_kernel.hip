// The device clocks do not run backwards.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long a = clock64();
  const long long b = wall_clock64();
  float v = 0.0f;
  if (i < n) {
    for (int j = 0; j < 100; ++j) v = v * 0.5f + x[i];
    y[i] = v * 0.0f;
    z[i] = clock64() >= a && wall_clock64() >= b;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
