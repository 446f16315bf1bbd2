// Merge of attention states: one block per token and head, one thread per element; each thread works out the weights.
#include "operator.h"

constexpr int kThreads = 64;

__global__ void __launch_bounds__(kThreads)
merge_kernel(const scalar_t* values, const float* lse, scalar_t* out, float* lse_out, int64_t states, int64_t heads,
             int64_t head_dim) {
  const int64_t token = blockIdx.x / heads, head = blockIdx.x % heads;
  const float* log_sums = lse + token * states * heads + head;
  float largest = log_sums[0], total = 0.f;
  for (int64_t s = 1; s < states; ++s) largest = fmaxf(largest, log_sums[s * heads]);
  for (int64_t s = 0; s < states; ++s) total += expf(log_sums[s * heads] - largest);

  for (int64_t d = threadIdx.x; d < head_dim; d += kThreads) {
    float sum = 0.f;
    for (int64_t s = 0; s < states; ++s) {
      const float weight = expf(log_sums[s * heads] - largest);
      sum += weight * to_float(values[((token * states + s) * heads + head) * head_dim + d]);
    }
    out[blockIdx.x * head_dim + d] = from_float<scalar_t>(sum / total);
  }
  if (threadIdx.x == 0) lse_out[blockIdx.x] = largest + logf(total);
}

extern "C" void launch(const scalar_t* values, const float* lse, scalar_t* out, float* lse_out, int64_t tokens,
                       int64_t states, int64_t heads, int64_t head_dim, hipStream_t stream) {
  merge_kernel<<<dim3(tokens * heads), dim3(kThreads), 0, stream>>>(values, lse, out, lse_out, states, heads, head_dim);
}
