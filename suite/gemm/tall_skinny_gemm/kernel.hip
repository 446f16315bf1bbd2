// C = A^T B: the rows are cut into pieces; a block computes a 32 x 32 tile of C over one piece, and adds it to C by
// atomics.
#include "operator.h"

constexpr int kTile = 32;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kThreads = kSide * kSide;
constexpr int kPer = kTile / kSide;
constexpr int64_t kPiece = 1024;

__device__ void load_tile(float (&tile)[kTile][kTile], const float* from, int64_t row0, int64_t rows, int64_t col0,
                          int64_t cols) {
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const int r = i / kTile, c = i % kTile;
    tile[r][c] = row0 + r < rows && col0 + c < cols ? from[(row0 + r) * cols + col0 + c] : 0.f;
  }
}

__global__ void __launch_bounds__(kThreads) clear(float* c, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) c[i] = 0.f;
}

__global__ void __launch_bounds__(kThreads)
product_kernel(const float* a, const float* b, float* c, int64_t rows, int64_t m, int64_t n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  const int64_t begin = blockIdx.x * kPiece, end = begin + kPiece < rows ? begin + kPiece : rows;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.z) * kTile;

  float sum[kPer][kPer] = {};
  for (int64_t r0 = begin; r0 < end; r0 += kTile) {
    load_tile(tile_a, a, r0, end, row0, m);
    load_tile(tile_b, b, r0, end, col0, n);
    __syncthreads();
    for (int r = 0; r < kTile; ++r)
      for (int i = 0; i < kPer; ++i)
        for (int j = 0; j < kPer; ++j) sum[i][j] += tile_a[r][ty + i * kSide] * tile_b[r][tx + j * kSide];
    __syncthreads();
  }

  for (int i = 0; i < kPer; ++i) {
    for (int j = 0; j < kPer; ++j) {
      const int64_t row = row0 + ty + i * kSide, col = col0 + tx + j * kSide;
      if (row < m && col < n) atomicAdd(&c[row * n + col], sum[i][j]);
    }
  }
}

extern "C" void launch(const float* a, const float* b, float* c, int64_t rows, int64_t m, int64_t n,
                       hipStream_t stream) {
  clear<<<dim3((m * n + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(c, m * n);
  const dim3 grid((rows + kPiece - 1) / kPiece, (m + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  product_kernel<<<grid, dim3(kThreads), 0, stream>>>(a, b, c, rows, m, n);
}
