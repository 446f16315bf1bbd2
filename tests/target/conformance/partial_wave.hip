// A block that is no multiple of the wave: the last wave votes with the lanes it has.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long b = __ballot(1);
  if (i < n) z[i] = __popcll(b);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 99) / 100, 100, 0, stream>>>(x, k, y, z, (int)n);
}
