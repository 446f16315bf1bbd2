// Bias and exact GELU: one thread per element, grid-stride over the flattened rows.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
bias_gelu_kernel(const scalar_t* x, const scalar_t* bias, scalar_t* y, int64_t count, int64_t cols) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) {
    const float v = to_float(x[i]) + to_float(bias[i % cols]);
    // erfc keeps its relative accuracy where 1 + erf cancels.
    y[i] = from_float<scalar_t>(0.5f * v * erfcf(-0.70710678f * v));
  }
}

extern "C" void launch(const scalar_t* x, const scalar_t* bias, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  const int64_t count = rows * cols, wanted = (count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 65536 ? wanted : 65536;
  bias_gelu_kernel<<<dim3(blocks), dim3(kThreads), 0, stream>>>(x, bias, y, count, cols);
}
