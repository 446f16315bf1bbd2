// A thread block as a cooperative group.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s[256];
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  s[block.thread_rank()] = i < n ? k[i] : 0;
  block.sync();
  if (i < n) z[i] = s[block.size() - 1 - block.thread_rank()];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
