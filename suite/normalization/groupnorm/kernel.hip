// Group normalisation: one block per group of one image; mean, then variance, then the result.
#include "operator.h"

constexpr int kThreads = 512;

__device__ float block_sum(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  __syncthreads();
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < kThreads / warpSize; ++w) sum += partial[w];
  return sum;
}

__global__ void __launch_bounds__(kThreads)
groupnorm_kernel(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, float eps, scalar_t* y, int groups,
                 int group_channels, int plane) {
  const int count = group_channels * plane;
  const scalar_t* in = x + static_cast<int64_t>(blockIdx.x) * count;
  scalar_t* out = y + static_cast<int64_t>(blockIdx.x) * count;
  float sum = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) sum += to_float(in[i]);
  const float mean = block_sum(sum) / count;

  float squares = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const float d = to_float(in[i]) - mean;
    squares += d * d;
  }
  const float scale = rsqrtf(block_sum(squares) / count + eps);

  const int first_channel = blockIdx.x % groups * group_channels;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const int c = first_channel + i / plane;
    out[i] = from_float<scalar_t>((to_float(in[i]) - mean) * scale * to_float(weight[c]) + to_float(bias[c]));
  }
}

extern "C" void launch(const scalar_t* x, const scalar_t* weight, const scalar_t* bias, float eps, scalar_t* y,
                       int64_t batch, int64_t groups, int64_t group_channels, int64_t plane, hipStream_t stream) {
  groupnorm_kernel<<<dim3(batch * groups), dim3(kThreads), 0, stream>>>(x, weight, bias, eps, y, groups,
                                                                        group_channels, plane);
}
