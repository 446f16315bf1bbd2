// Butterfly shuffles.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  int r = v;
  for (int o = warpSize / 2; o > 0; o >>= 1) r = max(r, __shfl_xor(r, o));
  if (i < n) z[i] = r;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
