// 60000 bytes of dynamic shared memory after raising the limit.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  for (int j = threadIdx.x; j < 15000; j += blockDim.x) s[j] = 3 * j;
  __syncthreads();
  if (i < n) z[i] = s[14999 - i];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  (void)hipFuncSetAttribute(reinterpret_cast<const void*>(&kernel), hipFuncAttributeMaxDynamicSharedMemorySize, 60000);
  kernel<<<(n + 255) / 256, 256, 60000, stream>>>(x, k, y, z, (int)n);
}
