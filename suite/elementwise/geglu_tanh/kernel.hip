// GEGLU, tanh form: one thread per output element, grid-stride over the flattened rows.
#include "operator.h"

constexpr int kThreads = 256;

__device__ float gelu_tanh(float v) {
  const float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
  return 0.5f * v * (1.f + tanhf(inner));
}

__global__ void __launch_bounds__(kThreads)
geglu_kernel(const scalar_t* x, scalar_t* y, int64_t count, int64_t hidden) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) {
    const int64_t row = i / hidden, c = i % hidden;
    const scalar_t* source = x + row * 2 * hidden + c;
    y[i] = from_float<scalar_t>(gelu_tanh(to_float(source[0])) * to_float(source[hidden]));
  }
}

extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t hidden, hipStream_t stream) {
  const int64_t count = rows * hidden, wanted = (count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 65536 ? wanted : 65536;
  geglu_kernel<<<dim3(blocks), dim3(kThreads), 0, stream>>>(x, y, count, hidden);
}
