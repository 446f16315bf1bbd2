// Trip counts that differ between lanes: steps of a Collatz sequence.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned v = (unsigned)(k[i] < 0 ? -k[i] : k[i]) + 1u;
    int steps = 0;
    while (v != 1u) {
      v = v & 1u ? 3u * v + 1u : v / 2u;
      ++steps;
    }
    z[i] = steps;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
