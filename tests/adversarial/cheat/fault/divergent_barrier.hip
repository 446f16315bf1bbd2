// A barrier that half of a block never reaches.
// expect: crashed|timeout|incorrect
// call_s: 5
#include "right.h"
__global__ void some_of_them(scalar_t* y) {
  __shared__ float v;
  if (threadIdx.x < 128) {
    v = threadIdx.x;
    __syncthreads();
  } else {
    return;
  }
  if (threadIdx.x == 0) y[0] = v;
  if (threadIdx.x % 2 == 0) __syncthreads();
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  some_of_them<<<dim3(1), dim3(256), 0, stream>>>(y);
}
