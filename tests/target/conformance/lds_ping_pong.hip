// Many barriers: a block-wide inclusive scan with two buffers.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s[2][256];
  int from = 0;
  s[0][threadIdx.x] = i < n ? k[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int t = threadIdx.x;
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) z[i] = s[from][threadIdx.x];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
