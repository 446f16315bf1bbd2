// e4m3: rounding to nearest even and saturation at 448.
#include <hip/hip_runtime.h>
#include <hip/hip_fp8.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = (k[i] & 1) ? x[i] * 0.02f * (float)(1 << (k[i] >> 1 & 15)) : (float)(i - n / 2) * 0.0078125f;
    const __hip_fp8_e4m3 q(v);
    y[i] = float(q);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
