// A padded two-dimensional shared tile, transposed.
#include <hip/hip_runtime.h>

#define TILE 16
__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  __shared__ float tile[TILE][TILE + 1];
  const int i = blockIdx.x * (TILE * TILE) + threadIdx.y * TILE + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = i < n ? x[i] : -1.0f;
  __syncthreads();
  if (i < n) y[i] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, dim3(TILE, TILE), 0, stream>>>(x, k, y, z, (int)n);
}
