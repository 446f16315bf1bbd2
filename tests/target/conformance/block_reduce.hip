// Sum of a block: shuffles, then shared memory.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  __shared__ int part[32];
  int s = v;
  for (int o = warpSize / 2; o > 0; o >>= 1) s += __shfl_down(s, o);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = s;
  __syncthreads();
  int total = 0;
  for (int w = 0; w < (int)blockDim.x / warpSize; ++w) total += part[w];
  if (i < n) z[i] = total;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
