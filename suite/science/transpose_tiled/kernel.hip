// Batched transposition: a block turns one 32 x 32 tile through shared memory, four elements to a thread.
#include "operator.h"

constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of the tile that the block moves at once

__global__ void __launch_bounds__(kTile* kRows)
transpose_kernel(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols) {
  __shared__ scalar_t tile[kTile][kTile + 1];  // the extra column keeps a tile's column out of a single bank
  const int64_t matrix = blockIdx.z * rows * cols;
  const int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile, col0 = static_cast<int64_t>(blockIdx.x) * kTile;

  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t row = row0 + i, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[i][threadIdx.x] = x[matrix + row * cols + col];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t row = row0 + threadIdx.x, col = col0 + i;
    if (row < rows && col < cols) y[matrix + col * rows + row] = tile[threadIdx.x][i];
  }
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t batch, int64_t rows, int64_t cols, hipStream_t stream) {
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile, batch);
  transpose_kernel<<<grid, dim3(kTile, kRows), 0, stream>>>(x, y, rows, cols);
}
