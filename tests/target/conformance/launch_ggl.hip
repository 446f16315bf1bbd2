// hipLaunchKernelGGL with a plain kernel and with HIP_KERNEL_NAME.
#include <hip/hip_runtime.h>

__global__ void plain(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = -x[i];
}
template <int A, int B>
__global__ void pair(const int* k, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = A * k[i] + B;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  hipLaunchKernelGGL(plain, dim3((n + 255) / 256), dim3(256), 0, stream, x, y, (int)n);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(pair<7, 2>), dim3((n + 255) / 256), dim3(256), 0, stream, k, z, (int)n);
}
