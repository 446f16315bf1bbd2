// Rotary embedding, interleaved layout: one block per token, one thread per pair; pairs beyond rotary_dim are copied.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
rope_kernel(const scalar_t* x, const int32_t* positions, const float* inv_freq, scalar_t* y, int heads, int head_dim,
            int rotary_dim) {
  const int64_t token = blockIdx.x;
  const float position = positions[token];
  const int half = head_dim / 2, pairs = heads * half;
  const scalar_t* in = x + token * heads * head_dim;
  scalar_t* out = y + token * heads * head_dim;
  for (int p = threadIdx.x; p < pairs; p += kThreads) {
    const int i = p % half;
    if (2 * i >= rotary_dim) {
      out[2 * p] = in[2 * p];
      out[2 * p + 1] = in[2 * p + 1];
      continue;
    }
    const float angle = position * inv_freq[i];
    const float c = cosf(angle), s = sinf(angle);
    const float a = to_float(in[2 * p]), b = to_float(in[2 * p + 1]);
    out[2 * p] = from_float<scalar_t>(a * c - b * s);
    out[2 * p + 1] = from_float<scalar_t>(b * c + a * s);
  }
}

extern "C" void launch(const scalar_t* x, const int32_t* positions, const float* inv_freq, scalar_t* y, int64_t tokens,
                       int64_t heads, int64_t head_dim, int64_t rotary_dim, hipStream_t stream) {
  rope_kernel<<<dim3(tokens), dim3(kThreads), 0, stream>>>(x, positions, inv_freq, y, heads, head_dim, rotary_dim);
}
