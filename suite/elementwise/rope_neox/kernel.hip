// Rotary embedding, half-split layout: one block per token, one thread per pair, queries before keys.
#include "operator.h"

constexpr int kThreads = 256;

__device__ void rotate_pair(scalar_t* first, scalar_t* second, float c, float s) {
  const float a = to_float(*first), b = to_float(*second);
  *first = from_float<scalar_t>(a * c - b * s);
  *second = from_float<scalar_t>(b * c + a * s);
}

__global__ void __launch_bounds__(kThreads)
rope_kernel(const int64_t* positions, const float* cos_sin, scalar_t* query, scalar_t* key, int heads, int kv_heads,
            int head_dim) {
  const int64_t token = blockIdx.x;
  const int half = head_dim / 2;
  const float* row = cos_sin + positions[token] * head_dim;
  const int pairs = (heads + kv_heads) * half;
  for (int p = threadIdx.x; p < pairs; p += kThreads) {
    const int head = p / half, i = p % half;
    scalar_t* x = head < heads ? query + (token * heads + head) * head_dim
                               : key + (token * kv_heads + head - heads) * head_dim;
    rotate_pair(x + i, x + half + i, row[i], row[half + i]);
  }
}

extern "C" void launch(const int64_t* positions, const float* cos_sin, scalar_t* query, scalar_t* key, int64_t tokens,
                       int64_t heads, int64_t kv_heads, int64_t head_dim, int64_t max_position, hipStream_t stream) {
  rope_kernel<<<dim3(tokens), dim3(kThreads), 0, stream>>>(positions, cos_sin, query, key, heads, kv_heads, head_dim);
}
