// Infinities and NaN in arithmetic and comparisons.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float inf = __int_as_float(0x7f800000), nan = __int_as_float(0x7fc00000);
    const float v = (k[i] & 3) == 0 ? inf : (k[i] & 3) == 1 ? nan : (k[i] & 3) == 2 ? -inf : x[i];
    z[i] = (isnan(v) ? 1 : 0) + (isinf(v) ? 2 : 0) + (v < 0.0f ? 4 : 0) + (v == v ? 8 : 0) + (fmaxf(v, 1.0f) == 1.0f ? 16 : 0);
    y[i] = v * 0.0f;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
