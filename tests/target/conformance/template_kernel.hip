// A kernel template with a type and a number, both given.
#include <hip/hip_runtime.h>

template <typename T, int SCALE>
__global__ void scale(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * (T)SCALE;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  scale<float, 4><<<dim3((n + 255) / 256), dim3(256), 0, stream>>>(x, y, (int)n);
  scale<int, -3><<<dim3((n + 63) / 64), dim3(64), 0, stream>>>(k, z, (int)n);
}
