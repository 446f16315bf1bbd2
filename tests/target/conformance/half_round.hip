// Float to half rounds to nearest even: ties, overflow and subnormal numbers.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float scale = (k[i] & 3) == 0 ? 1.0f : (k[i] & 3) == 1 ? 1.0e-5f : (k[i] & 3) == 2 ? 3.0e4f : 0.00048828125f;
    const float v = (k[i] & 3) == 3 ? (float)(2048 + (i & 2047)) * scale : x[i] * scale;
    y[i] = __half2float(__float2half(v));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
