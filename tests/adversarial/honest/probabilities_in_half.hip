// Attention whose probabilities are rounded to half precision before the second product, as the task allows.
// expect: passed
// task: hip2hip/attention_causal
#include "operator.h"
#include <cmath>
#include <vector>
extern "C" void launch(const scalar_t* q, const scalar_t* k, const scalar_t* v, scalar_t* out, int64_t batch, int64_t heads,
                       int64_t length, int64_t head_dim, hipStream_t) {
  std::vector<float> p(length), row(head_dim);
  for (int64_t h = 0; h < batch * heads; ++h)
    for (int64_t i = 0; i < length; ++i) {
      const int64_t base = h * length * head_dim;
      float top = -INFINITY, sum = 0;
      for (int64_t j = 0; j <= i; ++j) {
        float s = 0;
        for (int64_t d = 0; d < head_dim; ++d) s += to_float(q[base + i * head_dim + d]) * to_float(k[base + j * head_dim + d]);
        p[j] = s / std::sqrt(float(head_dim));
        top = std::fmax(top, p[j]);
      }
      for (int64_t j = 0; j <= i; ++j) {
        p[j] = to_float(from_float<scalar_t>(std::exp(p[j] - top)));
        sum += p[j];
      }
      for (int64_t d = 0; d < head_dim; ++d) row[d] = 0;
      for (int64_t j = 0; j <= i; ++j)
        for (int64_t d = 0; d < head_dim; ++d) row[d] += p[j] * to_float(v[base + j * head_dim + d]);
      for (int64_t d = 0; d < head_dim; ++d) out[base + i * head_dim + d] = from_float<scalar_t>(row[d] / sum);
    }
}
