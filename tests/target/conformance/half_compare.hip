// Comparisons of halves.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half a = __float2half(x[i]), b = __float2half(x[n - 1 - i]);
    z[i] = (__hlt(a, b) ? 1 : 0) + (__hle(a, b) ? 2 : 0) + (__heq(a, b) ? 4 : 0) + (__hgt(a, b) ? 8 : 0) +
           (__hge(a, b) ? 16 : 0) + (__hne(a, b) ? 32 : 0) + (a < b ? 64 : 0) + (a == b ? 128 : 0);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
