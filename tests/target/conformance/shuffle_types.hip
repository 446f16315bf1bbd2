// Shuffles of 8-byte integers, doubles and unsigned values.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? k[i] : 0;

  const double d = __shfl_xor((double)v * 0.125, 1);
  const long long l = __shfl_down((long long)v * 10000000000LL, 1);
  const unsigned u = __shfl_up((unsigned)v, 1);
  if (i < n) {
    y[i] = (float)d;
    z[i] = (int)(l / 10000000000LL) + (int)u;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
