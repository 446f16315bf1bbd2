// Atomic and, or, exclusive or.
#include <hip/hip_runtime.h>

__global__ void reset(const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    z[i] = i == 0 ? 0xfff0 : 0;
  }
}
__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAnd(&z[0], k[i] | 0xff00);
    atomicOr(&z[1], 1 << (k[i] & 15));
    atomicXor(&z[2], k[i]);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<(n + 255) / 256, 256, 0, stream>>>(k, y, z, (int)n);
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
