// Sliding-window attention: a block handles 32 queries of one head and streams the keys of its band in tiles of 32;
// eight neighbouring threads share a query, keep its running maximum and sum, and hold its output in registers.
#include "operator.h"

constexpr int kQueries = 32;
constexpr int kKeys = 32;
constexpr int kTeam = 8;  // threads per query
constexpr int kThreads = kQueries * kTeam;
constexpr int kScores = kKeys / kTeam;
constexpr float kMasked = -1e30f;

template <int D>
__device__ void load_tile(float (&tile)[kKeys][D + 1], const scalar_t* from, int64_t row0, int64_t length) {
  for (int i = threadIdx.x; i < kKeys * D; i += kThreads) {
    const int r = i / D, d = i % D;
    tile[r][d] = row0 + r < length ? to_float(from[(row0 + r) * D + d]) : 0.f;
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads)
attention_kernel(const scalar_t* q, const scalar_t* k, const scalar_t* v, scalar_t* out, int64_t group,
                 int64_t length, int64_t window) {
  __shared__ float tile_q[kQueries][D + 1];
  __shared__ float tile_kv[kKeys][D + 1];  // keys first, then values of the same tile
  __shared__ float weights[kQueries][kKeys + 1];
  const int64_t head = blockIdx.y * length * D, kv_head = blockIdx.y / group * length * D;
  const int64_t query0 = static_cast<int64_t>(blockIdx.x) * kQueries;
  const int row = threadIdx.x / kTeam, member = threadIdx.x % kTeam;
  const int64_t query = query0 + row;
  const float scale = 1.f / sqrtf(static_cast<float>(D));

  load_tile<D>(tile_q, q + head, query0, length);
  float acc[D / kTeam] = {};
  float largest = kMasked, total = 0.f;
  const int64_t first = query0 >= window ? (query0 - window + 1) / kKeys * kKeys : 0;
  for (int64_t key0 = first; key0 < query0 + kQueries && key0 < length; key0 += kKeys) {
    __syncthreads();
    load_tile<D>(tile_kv, k + kv_head, key0, length);
    __syncthreads();

    // A tile may be masked for a whole query; what it adds then is scaled to zero by the first visible key.
    float score[kScores] = {}, top = largest;
    for (int d = 0; d < D; ++d)
      for (int j = 0; j < kScores; ++j) score[j] += tile_q[row][d] * tile_kv[member + j * kTeam][d];
    for (int j = 0; j < kScores; ++j) {
      const int64_t distance = query - key0 - member - j * kTeam;
      score[j] = distance >= 0 && distance < window ? score[j] * scale : kMasked;
      top = fmaxf(top, score[j]);
    }
    for (int o = kTeam / 2; o > 0; o /= 2) top = fmaxf(top, __shfl_xor(top, o));
    float sum = 0.f;
    for (int j = 0; j < kScores; ++j) {
      const float p = expf(score[j] - top);
      weights[row][member + j * kTeam] = p;
      sum += p;
    }
    for (int o = kTeam / 2; o > 0; o /= 2) sum += __shfl_xor(sum, o);
    const float rescale = expf(largest - top);
    total = total * rescale + sum;
    largest = top;

    __syncthreads();
    load_tile<D>(tile_kv, v + kv_head, key0, length);
    __syncthreads();
    for (int i = 0; i < D / kTeam; ++i) acc[i] *= rescale;
    for (int key = 0; key < kKeys; ++key) {
      const float p = weights[row][key];
      for (int i = 0; i < D / kTeam; ++i) acc[i] += p * tile_kv[key][member + i * kTeam];
    }
  }

  if (query < length) {
    for (int i = 0; i < D / kTeam; ++i)
      out[head + query * D + member + i * kTeam] = from_float<scalar_t>(acc[i] / total);
  }
}

extern "C" void launch(const scalar_t* q, const scalar_t* k, const scalar_t* v, scalar_t* out, int64_t batch,
                       int64_t kv_heads, int64_t group, int64_t length, int64_t window, int64_t head_dim,
                       hipStream_t stream) {
  const dim3 grid((length + kQueries - 1) / kQueries, batch * kv_heads * group), block(kThreads);
  if (head_dim == 64)
    attention_kernel<64><<<grid, block, 0, stream>>>(q, k, v, out, group, length, window);
  else
    attention_kernel<128><<<grid, block, 0, stream>>>(q, k, v, out, group, length, window);
}
