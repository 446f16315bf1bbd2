// Counts by atomics in shared and in device memory.
// expect: passed
// task: hip2hip/histogram
#include "operator.h"
__global__ void count_all(const int32_t* x, int32_t* counts, int64_t count, int64_t bins) {
  __shared__ int32_t local[64];
  for (int64_t b = threadIdx.x; b < 64; b += 256) local[b] = 0;
  __syncthreads();
  for (int64_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256)
    bins <= 64 ? atomicAdd(&local[x[i]], 1) : atomicAdd(&counts[x[i]], 1);
  __syncthreads();
  for (int64_t b = threadIdx.x; b < bins && b < 64; b += 256)
    if (local[b]) atomicAdd(&counts[b], local[b]);
}
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t stream) {
  (void)hipMemsetAsync(counts, 0, bins * sizeof(int32_t), stream);
  count_all<<<dim3(4), dim3(256), 0, stream>>>(x, counts, count, bins);
}
