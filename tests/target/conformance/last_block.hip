// The last block to finish sums what all blocks wrote.
#include <hip/hip_runtime.h>

__device__ unsigned finished;
__global__ void reset() { finished = 0; }
__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2 * k[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    for (int j = threadIdx.x; j < n; j += blockDim.x) y[j] = (float)((volatile int*)z)[j];
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  reset<<<1, 1, 0, stream>>>();
  kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, k, y, z, (int)n);
}
