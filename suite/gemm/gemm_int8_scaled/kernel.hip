// Y = (X W^T) s_x s_w + b: a block computes a 64 x 64 tile from 32-deep slices of bytes in shared memory, a thread
// 4 x 4 of its elements in int32.
#include "operator.h"

constexpr int kTile = 64;
constexpr int kDepth = 32;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kThreads = kSide * kSide;
constexpr int kPer = kTile / kSide;

// Copies rows row0.. and columns k0.. of a (rows, k) matrix into `tile`, transposed, zero beyond the edges.
__device__ void load_slice(int8_t (&tile)[kDepth][kTile + 4], const int8_t* from, int64_t row0, int64_t rows,
                           int64_t k0, int64_t k) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
    const int r = i / kDepth, d = i % kDepth;
    tile[d][r] = row0 + r < rows && k0 + d < k ? from[(row0 + r) * k + k0 + d] : 0;
  }
}

__global__ void __launch_bounds__(kThreads)
gemm_kernel(const int8_t* x, const int8_t* weight, const float* x_scale, const float* weight_scale,
            const scalar_t* bias, scalar_t* y, int64_t m, int64_t n, int64_t k) {
  __shared__ int8_t tile_x[kDepth][kTile + 4];
  __shared__ int8_t tile_w[kDepth][kTile + 4];
  const int tx = threadIdx.x % kSide, ty = threadIdx.x / kSide;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.x) * kTile;

  int sum[kPer][kPer] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    load_slice(tile_x, x, row0, m, k0, k);
    load_slice(tile_w, weight, col0, n, k0, k);
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      int vx[kPer], vw[kPer];
      for (int i = 0; i < kPer; ++i) vx[i] = tile_x[d][ty + i * kSide];
      for (int j = 0; j < kPer; ++j) vw[j] = tile_w[d][tx + j * kSide];
      for (int i = 0; i < kPer; ++i)
        for (int j = 0; j < kPer; ++j) sum[i][j] += vx[i] * vw[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < kPer; ++i) {
    const int64_t row = row0 + ty + i * kSide;
    if (row >= m) continue;
    for (int j = 0; j < kPer; ++j) {
      const int64_t col = col0 + tx + j * kSide;
      if (col >= n) continue;
      const float v = static_cast<float>(sum[i][j]) * x_scale[row] * weight_scale[col] + to_float(bias[col]);
      y[row * n + col] = from_float<scalar_t>(v);
    }
  }
}

extern "C" void launch(const int8_t* x, const int8_t* weight, const float* x_scale, const float* weight_scale,
                       const scalar_t* bias, scalar_t* y, int64_t m, int64_t n, int64_t k, hipStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  gemm_kernel<<<grid, dim3(kThreads), 0, stream>>>(x, weight, x_scale, weight_scale, bias, y, m, n, k);
}
