// Atomic exchange: every number comes out once or stays.
#include <hip/hip_runtime.h>

__global__ void reset(int* z) { z[0] = z[1] = 0; }
__global__ void kernel(int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&z[1], atomicExch(&z[0], i));
}
__global__ void finish(int* z) {
  z[0] += z[1];
  z[1] = 0;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<1, 1, 0, stream>>>(z);
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(z, (int)n);
  finish<<<1, 1, 0, stream>>>(z);
}
