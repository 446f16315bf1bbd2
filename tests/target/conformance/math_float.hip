// Single-precision functions.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = x[i];
    y[i] = expf(v) + logf(fabsf(v) + 1.0f) + tanhf(v) + erff(v) + sinf(v) + cosf(v) + sqrtf(fabsf(v)) + cbrtf(v) + exp2f(v) +
           log1pf(fabsf(v)) + expm1f(v) + atan2f(v, 2.0f) + powf(fabsf(v), 1.7f);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
