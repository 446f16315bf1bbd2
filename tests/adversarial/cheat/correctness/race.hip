// C14: counts without atomics.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
__global__ void count_all(const int32_t* x, int32_t* counts, int64_t count) {
  __shared__ int32_t local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int64_t i = threadIdx.x; i < count; i += 256) {
    const int32_t old = local[x[i]];
    __syncthreads();
    local[x[i]] = old + 1;
    __syncthreads();
  }
  if (threadIdx.x < 37) counts[threadIdx.x] = local[threadIdx.x];
}
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t stream) {
  count_all<<<dim3(1), dim3(256), 0, stream>>>(x, counts, count / 256 * 256);
}
