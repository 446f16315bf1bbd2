// C_i = A_i B_i: a block computes a 32 x 32 tile of one product from 32-deep slices in shared memory, a thread 2 x 2.
#include "operator.h"

constexpr int kTile = 32;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kThreads = kSide * kSide;
constexpr int kPer = kTile / kSide;

// Copies a tile at (row0, col0) of a (rows, cols) matrix, zero beyond the edges.
__device__ void load_tile(float (&tile)[kTile][kTile + 1], const scalar_t* from, int64_t row0, int64_t rows,
                          int64_t col0, int64_t cols) {
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const int r = i / kTile, c = i % kTile;
    tile[r][c] = row0 + r < rows && col0 + c < cols ? to_float(from[(row0 + r) * cols + col0 + c]) : 0.f;
  }
}

__global__ void __launch_bounds__(kThreads)
batched_gemm_kernel(const scalar_t* a, const scalar_t* b, scalar_t* c, int64_t m, int64_t n, int64_t k) {
  __shared__ float tile_a[kTile][kTile + 1];
  __shared__ float tile_b[kTile][kTile + 1];
  a += blockIdx.z * m * k;
  b += blockIdx.z * k * n;
  c += blockIdx.z * m * n;
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.x) * kTile;

  float sum[kPer][kPer] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kTile) {
    load_tile(tile_a, a, row0, m, k0, k);
    load_tile(tile_b, b, k0, k, col0, n);
    __syncthreads();
    for (int d = 0; d < kTile; ++d)
      for (int i = 0; i < kPer; ++i)
        for (int j = 0; j < kPer; ++j) sum[i][j] += tile_a[ty + i * kSide][d] * tile_b[d][tx + j * kSide];
    __syncthreads();
  }

  for (int i = 0; i < kPer; ++i) {
    for (int j = 0; j < kPer; ++j) {
      const int64_t row = row0 + ty + i * kSide, col = col0 + tx + j * kSide;
      if (row < m && col < n) c[row * n + col] = from_float<scalar_t>(sum[i][j]);
    }
  }
}

extern "C" void launch(const scalar_t* a, const scalar_t* b, scalar_t* c, int64_t batch, int64_t m, int64_t n,
                       int64_t k, hipStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile, batch);
  batched_gemm_kernel<<<grid, dim3(kThreads), 0, stream>>>(a, b, c, m, n, k);
}
