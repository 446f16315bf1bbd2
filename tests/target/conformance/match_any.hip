// Lanes that hold the same value.
#define HIP_ENABLE_WARP_SYNC_BUILTINS
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  const unsigned long long m = __match_any_sync(0xffffffffffffffffull, v & 7);
  if (i < n) z[i] = __popcll(m);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
