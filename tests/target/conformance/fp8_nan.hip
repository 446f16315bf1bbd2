// NaN stays NaN in both formats.
#include <hip/hip_runtime.h>
#include <hip/hip_fp8.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = (k[i] & 1) ? __int_as_float(0x7fc00000) : 1.0f;
    const __hip_fp8_e4m3 a(v);
    const __hip_fp8_e5m2 b(v);
    y[i] = float(a) + float(b);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
