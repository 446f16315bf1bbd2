// SwiGLU: one block per row, one element at a time.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) swiglu_kernel(const scalar_t* x, scalar_t* y, int64_t cols) {
  const scalar_t* gate = x + blockIdx.x * 2 * cols;
  const scalar_t* up = gate + cols;
  scalar_t* out = y + blockIdx.x * cols;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float g = to_float(gate[c]);
    out[c] = from_float<scalar_t>(g / (1.f + expf(-g)) * to_float(up[c]));
  }
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  swiglu_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(x, y, cols);
}
