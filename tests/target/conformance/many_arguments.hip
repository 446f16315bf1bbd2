// Arguments of every width, in order.
#include <hip/hip_runtime.h>

__global__ void kernel(char a, short b, int c, long long d, float e, double f, bool g, unsigned char h, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)(a + b + c + d + e + f + (g ? 1 : 0) + h) + (float)i;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>((char)1, (short)2, 3, 4LL, 0.5f, 0.25, true, (unsigned char)200, y, (int)n);
}
