// Segmented sum: one block per segment.
#include "operator.h"

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
segmented_sum_kernel(const float* x, const int32_t* offsets, float* sums) {
  __shared__ float partial[kThreads / 32];
  const int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  float sum = 0.f;
  for (int64_t i = static_cast<int64_t>(begin) + threadIdx.x; i < end; i += kThreads) sum += x[i];
  for (int o = warpSize / 2; o > 0; o /= 2) sum += __shfl_down(sum, o);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.f;
    for (int w = 0; w < kThreads / warpSize; ++w) total += partial[w];
    sums[blockIdx.x] = total;
  }
}

extern "C" void launch(const float* x, const int32_t* offsets, float* sums, int64_t total, int64_t segments,
                       hipStream_t stream) {
  segmented_sum_kernel<<<dim3(segments), dim3(kThreads), 0, stream>>>(x, offsets, sums);
}
