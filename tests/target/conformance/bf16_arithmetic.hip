// bfloat16 arithmetic.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __hip_bfloat16 a = __float2bfloat16(x[i]), b = __float2bfloat16(0.125f * (float)(k[i] | 1));
    y[i] = __bfloat162float(__hadd(a, b)) + 2.0f * __bfloat162float(__hsub(a, b)) + 4.0f * __bfloat162float(__hmul(a, b));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
