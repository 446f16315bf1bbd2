// Top-k values of rows: one block per row and k passes; each finds the largest element that comes after the one found
// before, in the order of descending value and, among equal values, ascending column.
#include "operator.h"

constexpr int kThreads = 256;
constexpr float kInfinity = __builtin_huge_valf();

struct Element {
  float value;
  int column;
};

__device__ bool before(Element a, Element b) {
  return a.value > b.value || (a.value == b.value && a.column < b.column);
}

// The first in order of all the threads' elements; every thread gets it.
__device__ Element block_first(Element e) {
  __shared__ Element firsts[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) {
    const Element other = {__shfl_down(e.value, o), __shfl_down(e.column, o)};
    if (before(other, e)) e = other;
  }
  __syncthreads();  // the elements of the pass before have been read
  if (threadIdx.x % warpSize == 0) firsts[threadIdx.x / warpSize] = e;
  __syncthreads();
  Element first = firsts[0];
  for (int w = 1; w < kThreads / warpSize; ++w)
    if (before(firsts[w], first)) first = firsts[w];
  return first;
}

__global__ void __launch_bounds__(kThreads)
topk_kernel(const scalar_t* x, scalar_t* values, int64_t cols, int64_t k) {
  const scalar_t* row = x + blockIdx.x * cols;
  Element last = {kInfinity, -1};
  for (int64_t i = 0; i < k; ++i) {
    Element best = {-kInfinity, static_cast<int>(cols)};
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
      const Element e = {to_float(row[c]), static_cast<int>(c)};
      if (before(last, e) && before(e, best)) best = e;
    }
    last = block_first(best);
    if (threadIdx.x == 0) values[blockIdx.x * k + i] = row[last.column];
  }
}

extern "C" void launch(const scalar_t* x, scalar_t* values, int64_t rows, int64_t cols, int64_t k,
                       hipStream_t stream) {
  topk_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, values, cols, k);
}
