// C = A B: a block computes a 64 x 64 tile of C from 16-deep slices in shared memory, a thread 4 x 4 of its elements.
#include "operator.h"

constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kThreads = kSide * kSide;
constexpr int kPer = kTile / kSide;

__global__ void __launch_bounds__(kThreads)
gemm_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  __shared__ float tile_a[kDepth][kTile + 1];  // transposed, so that a thread's rows lie along the inner dimension
  __shared__ float tile_b[kDepth][kTile];
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.x) * kTile;

  float sum[kPer][kPer] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int r = i / kDepth, d = i % kDepth;
      tile_a[d][r] = row0 + r < m && k0 + d < k ? a[(row0 + r) * k + k0 + d] : 0.f;
    }
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int d = i / kTile, s = i % kTile;
      tile_b[d][s] = k0 + d < k && col0 + s < n ? b[(k0 + d) * n + col0 + s] : 0.f;
    }
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      float va[kPer], vb[kPer];
      for (int i = 0; i < kPer; ++i) va[i] = tile_a[d][ty + i * kSide];
      for (int j = 0; j < kPer; ++j) vb[j] = tile_b[d][tx + j * kSide];
      for (int i = 0; i < kPer; ++i)
        for (int j = 0; j < kPer; ++j) sum[i][j] += va[i] * vb[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < kPer; ++i) {
    for (int j = 0; j < kPer; ++j) {
      const int64_t row = row0 + ty + i * kSide, col = col0 + tx + j * kSide;
      if (row < m && col < n) c[row * n + col] = sum[i][j];
    }
  }
}

extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  gemm_kernel<<<grid, dim3(kThreads), 0, stream>>>(a, b, c, m, n, k);
}
