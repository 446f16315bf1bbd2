// Wrapping increments and decrements.
#include <hip/hip_runtime.h>

__global__ void reset(const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    z[i] = 0;
  }
}
__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicInc(reinterpret_cast<unsigned*>(&z[0]), 6u);
    atomicDec(reinterpret_cast<unsigned*>(&z[1]), 6u);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<(n + 255) / 256, 256, 0, stream>>>(k, y, z, (int)n);
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
