// The older type hip_bfloat16.
#include <hip/hip_runtime.h>
#include <hip/hip_bfloat16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const hip_bfloat16 a(x[i]);
    y[i] = float(a) * 2.0f;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
