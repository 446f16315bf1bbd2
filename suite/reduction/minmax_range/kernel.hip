// Row-wise minimum and maximum: one block per row, both reductions in one pass.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
minmax_kernel(const scalar_t* x, scalar_t* low, scalar_t* high, float* width, int64_t cols) {
  __shared__ float lows[kThreads / 32];
  __shared__ float highs[kThreads / 32];
  const scalar_t* row = x + blockIdx.x * cols;
  float lo = INFINITY, hi = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float v = to_float(row[c]);
    lo = fminf(lo, v);
    hi = fmaxf(hi, v);
  }
  for (int o = warpSize / 2; o > 0; o /= 2) {
    lo = fminf(lo, __shfl_down(lo, o));
    hi = fmaxf(hi, __shfl_down(hi, o));
  }
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) {
    lows[wave] = lo;
    highs[wave] = hi;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / warpSize; ++w) {
      lo = fminf(lo, lows[w]);
      hi = fmaxf(hi, highs[w]);
    }
    low[blockIdx.x] = from_float<scalar_t>(lo);
    high[blockIdx.x] = from_float<scalar_t>(hi);
    width[blockIdx.x] = hi - lo;
  }
}

extern "C" void launch(const scalar_t* x, scalar_t* low, scalar_t* high, float* width, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  minmax_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, low, high, width, cols);
}
