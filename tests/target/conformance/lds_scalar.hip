// One shared scalar, written by one thread.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int chosen;
  if (threadIdx.x == 17) chosen = i < n ? k[i] : 0;
  __syncthreads();
  if (i < n) z[i] = chosen;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 99) / 100, 100, 0, stream>>>(x, k, y, z, (int)n);
}
