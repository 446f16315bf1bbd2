// A function object as a kernel argument of a template.
#include <hip/hip_runtime.h>

struct Affine {
  float a, b;
  __device__ float operator()(float v) const { return a * v + b; }
};
template <class F>
__global__ void apply(F f, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  apply<<<(n + 127) / 128, 128, 0, stream>>>(Affine{2.0f, 1.0f}, x, y, (int)n);
}
