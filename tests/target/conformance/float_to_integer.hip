// Conversions with a rounding direction.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = x[i] * 10.0f;
    z[i] = __float2int_rn(v) + 1000 * __float2int_rz(v) + 1000000 * __float2int_rd(v) + 10000000 * __float2int_ru(v);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
