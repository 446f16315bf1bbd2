// Masked mean: one block per sequence and 256 of its hidden units, a loop over the tokens.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
masked_mean_kernel(const scalar_t* x, const uint8_t* mask, float* y, int64_t tokens, int64_t hidden, int64_t tiles) {
  const int64_t sequence = blockIdx.x / tiles;
  const int64_t h = blockIdx.x % tiles * kThreads + threadIdx.x;
  if (h >= hidden) return;
  const uint8_t* selected = mask + sequence * tokens;
  const scalar_t* in = x + sequence * tokens * hidden + h;
  float sum = 0.f;
  int count = 0;
  for (int64_t t = 0; t < tokens; ++t) {
    if (selected[t]) {
      sum += to_float(in[t * hidden]);
      ++count;
    }
  }
  y[sequence * hidden + h] = sum / (count > 0 ? count : 1);
}

extern "C" void launch(const scalar_t* x, const uint8_t* mask, float* y, int64_t batch, int64_t tokens, int64_t hidden,
                       hipStream_t stream) {
  const int64_t tiles = (hidden + kThreads - 1) / kThreads;
  masked_mean_kernel<<<dim3(batch * tiles), dim3(kThreads), 0, stream>>>(x, mask, y, tokens, hidden, tiles);
}
