// Launch bounds and a block of 1024 threads.
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(1024) kernel(const float* x, const int* k, float* y, int* z, int n) {
  __shared__ int s[1024];
  s[threadIdx.x] = threadIdx.x < n ? k[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x < n) z[threadIdx.x] = s[n - 1 - threadIdx.x];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<1, 1024, 0, stream>>>(x, k, y, z, (int)n);
}
