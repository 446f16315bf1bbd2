// Several declarators of different ranks in one shared declaration.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int a[256], b[2][128], total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  a[t] = i < n ? k[i] : 0;
  b[t / 128][t % 128] = 2 * a[t];
  __syncthreads();
  atomicAdd(&total, a[t]);
  __syncthreads();
  if (i < n) z[i] = a[255 - t] + b[1 - t / 128][t % 128] + total;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
