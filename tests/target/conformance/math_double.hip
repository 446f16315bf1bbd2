// Double-precision functions.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const double v = x[i];
    const double r = exp(v) + log(fabs(v) + 1.0) + tanh(v) + erf(v) + sqrt(fabs(v)) + pow(fabs(v) + 0.1, 1.7) + rsqrt(v * v + 0.5);
    y[i] = (float)r;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
