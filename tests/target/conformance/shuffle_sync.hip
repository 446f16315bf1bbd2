// Shuffles with a mask of all lanes.
#define HIP_ENABLE_WARP_SYNC_BUILTINS
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  const unsigned long long all = 0xffffffffffffffffull;
  const int a = __shfl_sync(all, v, 1), b = __shfl_down_sync(all, v, 2), c = __shfl_xor_sync(all, v, 1),
            d = __shfl_up_sync(all, v, 1);
  if (i < n) z[i] = a + 3 * b + 5 * c + 7 * d;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
