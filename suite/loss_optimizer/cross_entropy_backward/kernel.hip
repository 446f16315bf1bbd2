// Cross entropy, backward: one block per row, one pass over it.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
cross_entropy_backward_kernel(const scalar_t* logits, const int64_t* target, const float* lse, const float* dloss,
                              float smoothing, scalar_t* dlogits, int64_t vocab) {
  const int64_t base = blockIdx.x * vocab, label = target[blockIdx.x];
  const float shift = lse[blockIdx.x], scale = dloss[blockIdx.x], floor = smoothing / vocab;
  for (int64_t c = threadIdx.x; c < vocab; c += kThreads) {
    float g = 0.f;
    if (label >= 0) {
      g = expf(to_float(logits[base + c]) - shift) - floor;
      if (c == label) g -= 1.f - smoothing;
      g *= scale;
    }
    dlogits[base + c] = from_float<scalar_t>(g);
  }
}

extern "C" void launch(const scalar_t* logits, const int64_t* target, const float* lse, const float* dloss,
                       float smoothing, scalar_t* dlogits, int64_t rows, int64_t vocab, hipStream_t stream) {
  cross_entropy_backward_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(logits, target, lse, dloss, smoothing,
                                                                           dlogits, vocab);
}
