// __ldg and const __restrict__ pointers.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* __restrict__ x, const int* __restrict__ k, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __ldg(&x[i]) + (float)__ldg(k + i);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, (int)n);
}
