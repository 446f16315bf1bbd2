// Occupancy queries give a launch that runs.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = i; j < n; j += gridDim.x * blockDim.x) z[j] = k[j] + 1;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  int grid = 0, block = 0, active = 0;
  (void)hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0);
  (void)hipOccupancyMaxActiveBlocksPerMultiprocessor(&active, kernel, block, 0);
  if (grid < 1 || block < 32 || active < 1) return;
  kernel<<<grid, block, 0, stream>>>(x, k, y, z, (int)n);
}
