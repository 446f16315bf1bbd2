// The lanes that took a branch, as a group.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    z[i] = 0;
    if (k[i] & 1) {
      cooperative_groups::coalesced_group g = cooperative_groups::coalesced_threads();
      z[i] = 1 + (g.thread_rank() < g.size() ? 1 : 0);
    }
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
