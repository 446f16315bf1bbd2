// Row scaling: one thread per element, grid-stride.
#include "operator.h"

constexpr int kThreads = 64;

__global__ void __launch_bounds__(kThreads)
scale_kernel(const scalar_t* x, const scalar_t* factor, scalar_t* y, int64_t count, int64_t cols) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride)
    y[i] = from_float<scalar_t>(to_float(x[i]) * to_float(factor[i / cols]));
}

extern "C" void launch(const scalar_t* x, const scalar_t* factor, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  const int64_t count = rows * cols, wanted = (count + kThreads - 1) / kThreads;
  scale_kernel<<<dim3(wanted < 65536 ? wanted : 65536), dim3(kThreads), 0, stream>>>(x, factor, y, count, cols);
}
