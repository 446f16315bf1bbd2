// Decode attention: one block per query head and sequence; its waves take keys in turn with a running softmax each, and
// are merged at the end.
#include "operator.h"

constexpr int kThreads = 128;
constexpr int kMaxWaves = kThreads / 32;
constexpr float kNothing = -1e30f;  // below any score; exp(kNothing - x) is 0 and not NaN

__device__ float wave_sum(float v) {
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_xor(v, o);
  return v;
}

template <int D>
__global__ void __launch_bounds__(kThreads)
decode_kernel(const scalar_t* q, const scalar_t* k_cache, const scalar_t* v_cache, const int32_t* lengths,
              scalar_t* out, int64_t heads, int64_t group, int64_t length) {
  constexpr int kPer = D / 32;  // elements per lane of the narrowest wave; wider ones leave the last unused
  __shared__ float wave_largest[kMaxWaves];
  __shared__ float wave_total[kMaxWaves];
  __shared__ float wave_acc[kMaxWaves][D];
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize, waves = kThreads / warpSize;
  const int64_t head = blockIdx.y * heads + blockIdx.x;
  const scalar_t* k = k_cache + head / group * length * D;
  const scalar_t* v = v_cache + head / group * length * D;
  const float scale = 1.f / sqrtf(static_cast<float>(D));

  float query[kPer], acc[kPer] = {};
  for (int i = 0; i < kPer; ++i) {
    const int d = lane + i * warpSize;
    query[i] = d < D ? to_float(q[head * D + d]) * scale : 0.f;
  }
  float largest = kNothing, total = 0.f;
  for (int64_t key = wave; key < lengths[blockIdx.y]; key += waves) {
    float score = 0.f;
    for (int i = 0; i < kPer; ++i) {
      const int d = lane + i * warpSize;
      if (d < D) score += query[i] * to_float(k[key * D + d]);
    }
    score = wave_sum(score);
    const float top = fmaxf(largest, score);
    const float rescale = expf(largest - top), p = expf(score - top);
    total = total * rescale + p;
    for (int i = 0; i < kPer; ++i) {
      const int d = lane + i * warpSize;
      if (d < D) acc[i] = acc[i] * rescale + p * to_float(v[key * D + d]);
    }
    largest = top;
  }

  if (lane == 0) {
    wave_largest[wave] = largest;
    wave_total[wave] = total;
  }
  for (int i = 0; i < kPer; ++i) {
    const int d = lane + i * warpSize;
    if (d < D) wave_acc[wave][d] = acc[i];
  }
  __syncthreads();
  for (int d = threadIdx.x; d < D; d += kThreads) {
    float top = kNothing, sum = 0.f, value = 0.f;
    for (int w = 0; w < waves; ++w) top = fmaxf(top, wave_largest[w]);
    for (int w = 0; w < waves; ++w) {
      const float weight = expf(wave_largest[w] - top);
      sum += weight * wave_total[w];
      value += weight * wave_acc[w][d];
    }
    out[head * D + d] = from_float<scalar_t>(value / sum);
  }
}

extern "C" void launch(const scalar_t* q, const scalar_t* k_cache, const scalar_t* v_cache, const int32_t* lengths,
                       scalar_t* out, int64_t batch, int64_t kv_heads, int64_t group, int64_t length, int64_t head_dim,
                       hipStream_t stream) {
  const int64_t heads = kv_heads * group;
  const dim3 grid(heads, batch), block(kThreads);
  if (head_dim == 64)
    decode_kernel<64><<<grid, block, 0, stream>>>(q, k_cache, v_cache, lengths, out, heads, group, length);
  else
    decode_kernel<128><<<grid, block, 0, stream>>>(q, k_cache, v_cache, lengths, out, heads, group, length);
}
