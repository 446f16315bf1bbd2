// Float to bfloat16 rounds to nearest even.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = (k[i] & 1) ? x[i] : (float)(256 + (i & 511)) * 0.5f;
    y[i] = __bfloat162float(__float2bfloat16(v));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
