// Tiles of 8 lanes: ranks, shuffles and votes.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  auto tile = cooperative_groups::tiled_partition<8>(block);
  int s = v;
  for (int o = tile.size() / 2; o > 0; o /= 2) s += tile.shfl_xor(s, o);
  const int first = tile.shfl(v, 0), up = tile.shfl_up(v, 1), down = tile.shfl_down(v, 1);
  if (i < n) z[i] = s + 3 * first + 5 * up + 7 * down + (int)tile.thread_rank();
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
