// Bias, leaky ReLU, gain and clamp: one thread per element, grid-stride over the flattened tensor.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
bias_act_kernel(const scalar_t* x, const scalar_t* bias, float slope, float gain, float limit, scalar_t* y,
                int64_t count, int64_t channels, int64_t plane) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) {
    float v = to_float(x[i]) + to_float(bias[i / plane % channels]);
    v = gain * (v > 0.f ? v : slope * v);
    y[i] = from_float<scalar_t>(fminf(fmaxf(v, -limit), limit));
  }
}

extern "C" void launch(const scalar_t* x, const scalar_t* bias, float slope, float gain, float limit, scalar_t* y,
                       int64_t batch, int64_t channels, int64_t plane, hipStream_t stream) {
  const int64_t count = batch * channels * plane, wanted = (count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 65536 ? wanted : 65536;
  bias_act_kernel<<<dim3(blocks), dim3(kThreads), 0, stream>>>(x, bias, slope, gain, limit, y, count, channels, plane);
}
