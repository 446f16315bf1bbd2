// Row-wise argmax: one block per row; every thread keeps its best, shuffles and LDS pick the block's.
#include "operator.h"

constexpr int kThreads = 256;

struct Best {
  float value;
  int index;
};

__device__ Best better(Best a, Best b) {
  const bool second = b.value > a.value || (b.value == a.value && b.index < a.index);
  return second ? b : a;
}

__global__ void __launch_bounds__(kThreads)
row_argmax_kernel(const scalar_t* x, int64_t* index, scalar_t* value, int cols) {
  __shared__ float values[kThreads / 32];
  __shared__ int indices[kThreads / 32];
  const scalar_t* row = x + static_cast<int64_t>(blockIdx.x) * cols;
  Best best = {-INFINITY, 0x7fffffff};
  for (int c = threadIdx.x; c < cols; c += kThreads) best = better(best, Best{to_float(row[c]), c});
  for (int o = warpSize / 2; o > 0; o /= 2)
    best = better(best, Best{__shfl_down(best.value, o), __shfl_down(best.index, o)});
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) {
    values[wave] = best.value;
    indices[wave] = best.index;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / warpSize; ++w) best = better(best, Best{values[w], indices[w]});
    index[blockIdx.x] = best.index;
    value[blockIdx.x] = row[best.index];
  }
}

extern "C" void launch(const scalar_t* x, int64_t* index, scalar_t* value, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  row_argmax_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, index, value, cols);
}
