// Bit patterns of halves.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half h = __float2half(x[i]);
    z[i] = __half_as_ushort(h);
    y[i] = __half2float(__ushort_as_half((unsigned short)(k[i] & 0x7bff)));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
