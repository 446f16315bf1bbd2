// Launches inside a macro, with the kernel as its argument.
#include <hip/hip_runtime.h>

#define LAUNCH(KERNEL, COUNT, ...) KERNEL<<<((COUNT) + 255) / 256, 256, 0, stream>>>(__VA_ARGS__)
#define DISPATCH(FLAG, ...) \
  if (FLAG) {               \
    __VA_ARGS__             \
  }
template <int A>
__global__ void add(const int* k, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = k[i] + A;
}
__global__ void half_of(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  LAUNCH(add<5>, n, k, z, (int)n);
  DISPATCH(n > 0, half_of<<<(n + 255) / 256, 256, 0, stream>>>(x, y, (int)n);)
}
