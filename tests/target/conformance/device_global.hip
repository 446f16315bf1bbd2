// A variable in device memory that two kernels share.
#include <hip/hip_runtime.h>

__device__ int total;
__global__ void reset() { total = 0; }
__global__ void count(const int* k, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && k[i] > 0) atomicAdd(&total, 1);
}
__global__ void spread(int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = total;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<1, 1, 0, stream>>>();
  count<<<(n + 255) / 256, 256, 0, stream>>>(k, (int)n);
  spread<<<(n + 255) / 256, 256, 0, stream>>>(z, (int)n);
}
