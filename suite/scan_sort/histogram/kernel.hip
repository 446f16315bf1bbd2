// Histogram: blocks count into a private copy in shared memory where the bins fit, else straight into the output.
#include "operator.h"

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;
constexpr int64_t kPrivateBins = 8192;

__global__ void __launch_bounds__(kThreads) count_private(const int32_t* x, int32_t* counts, int64_t count, int bins) {
  extern __shared__ int32_t local[];
  for (int b = threadIdx.x; b < bins; b += kThreads) local[b] = 0;
  __syncthreads();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += kThreads)
    if (local[b] != 0) atomicAdd(&counts[b], local[b]);
}

__global__ void __launch_bounds__(kThreads) count_global(const int32_t* x, int32_t* counts, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride)
    atomicAdd(&counts[x[i]], 1);
}

__global__ void __launch_bounds__(kThreads) clear(int32_t* counts, int64_t bins) {
  const int64_t b = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (b < bins) counts[b] = 0;
}

extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t stream) {
  clear<<<dim3((bins + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(counts, bins);
  const int64_t wanted = (count + kThreads - 1) / kThreads;
  const dim3 grid(wanted < kMaxBlocks ? wanted : kMaxBlocks);
  if (bins <= kPrivateBins)
    count_private<<<grid, dim3(kThreads), bins * sizeof(int32_t), stream>>>(x, counts, count, static_cast<int>(bins));
  else
    count_global<<<grid, dim3(kThreads), 0, stream>>>(x, counts, count);
}
