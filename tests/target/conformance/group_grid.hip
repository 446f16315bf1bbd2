// A grid-wide barrier of a cooperative launch.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void kernel(const int* k, int* z, float* y, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2 * k[i];
  grid.sync();
  if (i < n) y[i] = (float)z[n - 1 - i];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  int count = (int)n;
  void* arguments[] = {&k, &z, &y, &count};
  (void)hipLaunchCooperativeKernel(reinterpret_cast<const void*>(&kernel), dim3((n + 255) / 256), dim3(256), arguments, 0, stream);
}
