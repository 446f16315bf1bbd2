// Dynamic shared memory.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = s[(threadIdx.x + 1) % blockDim.x];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 191) / 192, 192, 192 * sizeof(float), stream>>>(x, k, y, z, (int)n);
}
