// Y = gelu(X W^T + b): a block computes a 64 x 64 tile from 16-deep slices widened to float in shared memory, a thread
// 4 x 4 of its elements; bias and activation are applied to the accumulators.
#include "operator.h"

constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kThreads = kSide * kSide;
constexpr int kPer = kTile / kSide;

__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }

// Copies rows row0.. and columns k0.. of a (rows, k) matrix into `tile`, transposed, zero beyond the edges.
__device__ void load_slice(float (&tile)[kDepth][kTile + 1], const scalar_t* from, int64_t row0, int64_t rows,
                           int64_t k0, int64_t k) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
    const int r = i / kDepth, d = i % kDepth;
    tile[d][r] = row0 + r < rows && k0 + d < k ? to_float(from[(row0 + r) * k + k0 + d]) : 0.f;
  }
}

__global__ void __launch_bounds__(kThreads)
gemm_kernel(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, scalar_t* y, int64_t m, int64_t n,
            int64_t k) {
  __shared__ float tile_x[kDepth][kTile + 1];
  __shared__ float tile_w[kDepth][kTile + 1];
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.x) * kTile;

  float sum[kPer][kPer] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    load_slice(tile_x, x, row0, m, k0, k);
    load_slice(tile_w, weight, col0, n, k0, k);
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      float vx[kPer], vw[kPer];
      for (int i = 0; i < kPer; ++i) vx[i] = tile_x[d][ty + i * kSide];
      for (int j = 0; j < kPer; ++j) vw[j] = tile_w[d][tx + j * kSide];
      for (int i = 0; i < kPer; ++i)
        for (int j = 0; j < kPer; ++j) sum[i][j] += vx[i] * vw[j];
    }
    __syncthreads();
  }

  for (int j = 0; j < kPer; ++j) {
    const int64_t col = col0 + tx + j * kSide;
    if (col >= n) continue;
    const float b = to_float(bias[col]);
    for (int i = 0; i < kPer; ++i) {
      const int64_t row = row0 + ty + i * kSide;
      if (row < m) y[row * n + col] = from_float<scalar_t>(gelu(sum[i][j] + b));
    }
  }
}

extern "C" void launch(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, scalar_t* y, int64_t m,
                       int64_t n, int64_t k, hipStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  gemm_kernel<<<grid, dim3(kThreads), 0, stream>>>(x, weight, bias, y, m, n, k);
}
