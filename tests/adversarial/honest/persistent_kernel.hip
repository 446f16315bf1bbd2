// A fixed number of blocks that fetch rows from a counter until there are none left.
// expect: passed
#include "operator.h"
__device__ int next_row;
__global__ void reset() { next_row = 0; }
__global__ void persistent(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols) {
  __shared__ int row;
  __shared__ float squares[64];
  for (;;) {
    if (threadIdx.x == 0) row = atomicAdd(&next_row, 1);
    __syncthreads();
    if (row >= rows) return;
    const scalar_t* in = x + row * cols;
    float sum = 0.f;
    for (int64_t c = threadIdx.x; c < cols; c += 64) sum += in[c] * in[c];
    squares[threadIdx.x] = sum;
    __syncthreads();
    float total = 0.f;
    for (int t = 0; t < 64; ++t) total += squares[t];
    const float scale = rsqrtf(total / cols + eps);
    for (int64_t c = threadIdx.x; c < cols; c += 64) y[row * cols + c] = in[c] * scale * weight[c];
    __syncthreads();
  }
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  reset<<<dim3(1), dim3(1), 0, stream>>>();
  persistent<<<dim3(2), dim3(64), 0, stream>>>(x, weight, eps, y, rows, cols);
}
