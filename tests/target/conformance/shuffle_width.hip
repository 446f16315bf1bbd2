// Shuffles within segments of 8 and 16 lanes.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  const int a = __shfl(v, 2, 8), b = __shfl_up(v, 1, 16), c = __shfl_down(v, 1, 8), d = __shfl_xor(v, 4, 16);
  if (i < n) z[i] = a + 3 * b + 5 * c + 7 * d;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
