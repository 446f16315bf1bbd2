// Bit intrinsics on 64 bits.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const long long v = (long long)k[i] << 17;
    z[i] = __popcll(v) + 100 * __clzll(v) + 10000 * __ffsll((unsigned long long)v) + (int)(__brevll((unsigned long long)v) >> 40);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
