// fmaf rounds once: the rounding error of a product.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float p = __fmul_rn(x[i], x[n - 1 - i]);
    y[i] = fmaf(x[i], x[n - 1 - i], -p) * 16777216.0f;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
