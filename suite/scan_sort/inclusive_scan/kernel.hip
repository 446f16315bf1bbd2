// Inclusive prefix sum in three kernels: scan chunks of each row; scan the chunks' last elements along the row; add the
// last element of the chunk before to every chunk. The partial results live in the output, so no scratch is needed.
#include "operator.h"

constexpr int kThreads = 256;
constexpr int kChunk = 8 * kThreads;

// Inclusive scan of v over the block; `total` becomes the sum over all threads.
__device__ scalar_t block_scan(scalar_t v, scalar_t& total) {
  __shared__ scalar_t sums[kThreads / 32];
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  for (int o = 1; o < warpSize; o *= 2) {
    const scalar_t before = __shfl_up(v, o);
    if (lane >= o) v += before;
  }
  __syncthreads();  // the sums of an earlier call have been read
  if (lane == warpSize - 1) sums[wave] = v;
  __syncthreads();
  scalar_t before = 0;
  total = 0;
  for (int w = 0; w < kThreads / warpSize; ++w) {
    if (w == wave) before = total;
    total += sums[w];
  }
  return before + v;
}

__global__ void __launch_bounds__(kThreads) scan_chunks(const scalar_t* x, scalar_t* y, int64_t cols) {
  const int64_t row = blockIdx.y * cols, first = static_cast<int64_t>(blockIdx.x) * kChunk;
  scalar_t carry = 0, total;
  for (int64_t c = first + threadIdx.x; c - threadIdx.x < first + kChunk; c += kThreads) {
    const scalar_t sum = block_scan(c < cols ? x[row + c] : scalar_t(0), total);
    if (c < cols) y[row + c] = carry + sum;
    carry += total;
  }
}

// One block per row: the last element of each complete chunk becomes the sum of the row up to there.
__global__ void __launch_bounds__(kThreads) scan_chunk_ends(scalar_t* y, int64_t cols) {
  scalar_t* row = y + blockIdx.x * cols;
  const int64_t chunks = cols / kChunk;
  scalar_t carry = 0, total;
  for (int64_t i = threadIdx.x; i - threadIdx.x < chunks; i += kThreads) {
    scalar_t* end = row + i * kChunk + kChunk - 1;
    const scalar_t sum = block_scan(i < chunks ? *end : scalar_t(0), total);
    if (i < chunks) *end = carry + sum;
    carry += total;
  }
}

__global__ void __launch_bounds__(kThreads) add_carries(scalar_t* y, int64_t cols) {
  scalar_t* row = y + blockIdx.y * cols;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) + 1) * kChunk, last = first + kChunk - 1;
  const scalar_t carry = row[first - 1];
  for (int64_t c = first + threadIdx.x; c < last && c < cols; c += kThreads) row[c] += carry;
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  const int64_t chunks = (cols + kChunk - 1) / kChunk;
  scan_chunks<<<dim3(chunks, rows), dim3(kThreads), 0, stream>>>(x, y, cols);
  if (chunks == 1) return;
  scan_chunk_ends<<<dim3(rows), dim3(kThreads), 0, stream>>>(y, cols);
  add_carries<<<dim3(chunks - 1, rows), dim3(kThreads), 0, stream>>>(y, cols);
}
