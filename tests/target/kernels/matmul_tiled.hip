// Tiled single-precision matrix product: static LDS of a known size, 2 * 16 * 17 * 4 bytes = 2176.
#include <hip/hip_runtime.h>

constexpr int kTile = 16;

__global__ void __launch_bounds__(kTile* kTile) matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += kTile) {
    const int across = start + threadIdx.x, down = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && across < k ? a[row * k + across] : 0.0f;
    right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  hipLaunchKernelGGL(matmul, grid, dim3(kTile, kTile), 0, stream, a, b, c, m, n, k);
}
