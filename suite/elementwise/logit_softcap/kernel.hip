// Soft capping of logits: one thread per element, grid-stride over the flattened rows.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
softcap_kernel(const scalar_t* logits, const float* temperature, float cap, float* y, int64_t count, int64_t vocab) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride)
    y[i] = cap * tanhf(to_float(logits[i]) / cap) / temperature[i / vocab];
}

extern "C" void launch(const scalar_t* logits, const float* temperature, float cap, float* y, int64_t rows,
                       int64_t vocab, hipStream_t stream) {
  const int64_t count = rows * vocab, wanted = (count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 65536 ? wanted : 65536;
  softcap_kernel<<<dim3(blocks), dim3(kThreads), 0, stream>>>(logits, temperature, cap, y, count, vocab);
}
