// Tiles of one wave that go different ways.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  auto tile = cooperative_groups::tiled_partition<16>(block);
  int s = v;
  if ((threadIdx.x / 16) % 2 == 0) {
    for (int o = 8; o > 0; o /= 2) s += tile.shfl_xor(s, o);
  } else {
    for (int o = 8; o > 0; o /= 2) s = max(s, tile.shfl_xor(s, o));
  }
  if (i < n) z[i] = s;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
