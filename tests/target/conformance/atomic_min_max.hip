// Atomic minimum and maximum, signed and unsigned.
#include <hip/hip_runtime.h>

__global__ void reset(const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    z[i] = i == 0 ? 100000 : i == 1 ? -100000 : i == 2 ? -1 : 0;
  }
}
__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(&z[0], k[i]);
    atomicMax(&z[1], k[i]);
    atomicMin(reinterpret_cast<unsigned*>(&z[2]), (unsigned)k[i] + 5000u);
    atomicMax(reinterpret_cast<unsigned*>(&z[3]), (unsigned)k[i] + 5000u);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<(n + 255) / 256, 256, 0, stream>>>(k, y, z, (int)n);
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
