// A block that is too large is an error, the kernel does not run, and the error is reported once.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = -12345;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<1, 2048, 0, stream>>>(x, k, y, z, (int)n);
  const int first = hipGetLastError() != hipSuccess;
  const int second = hipGetLastError() != hipSuccess;
  (void)hipMemsetAsync(z, first * 2 + second, n * sizeof(int), stream);
}
