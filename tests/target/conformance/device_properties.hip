// What the device reports: wavefront size and limits.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = warpSize;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  int device = 0, wave = 0, threads = 0;
  (void)hipGetDevice(&device);
  (void)hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, device);
  (void)hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerBlock, device);
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
  (void)hipMemsetAsync(y, wave >= 32 && threads == 1024 ? 0 : 255, n * sizeof(float), stream);
}
