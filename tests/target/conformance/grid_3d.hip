// Three-dimensional grid and block: every coordinate and extent.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int cx = blockIdx.x * blockDim.x + threadIdx.x;
  const int cy = blockIdx.y * blockDim.y + threadIdx.y;
  const int cz = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (cz * (gridDim.y * blockDim.y) + cy) * (gridDim.x * blockDim.x) + cx;
  if (i < n) {
    z[i] = cx + 100 * cy + 10000 * cz;
    y[i] = (float)(gridDim.x + 10 * gridDim.y + 100 * gridDim.z + 1000 * blockDim.x + 10000 * blockDim.y);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<dim3(5, 2, 25), dim3(2, 2, 1), 0, stream>>>(x, k, y, z, (int)n);
}
