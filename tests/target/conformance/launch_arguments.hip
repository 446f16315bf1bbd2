// hipLaunchKernel with an array of argument addresses.
#include <hip/hip_runtime.h>

template <typename T>
__global__ void axpy(T a, const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  float a = 1.5f;
  int count = (int)n;
  void* arguments[] = {&a, &x, &y, &count};
  (void)hipLaunchKernel(reinterpret_cast<const void*>(axpy<float>), dim3((n + 255) / 256), dim3(256), arguments, 0, stream);
}
