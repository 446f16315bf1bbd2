// Pairs of bfloat16.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    __hip_bfloat162 p;
    p.x = __float2bfloat16(x[i]);
    p.y = __float2bfloat16(x[n - 1 - i]);
    const __hip_bfloat162 r = __hadd2(p, p);
    y[i] = __bfloat162float(r.x) - __bfloat162float(r.y);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
