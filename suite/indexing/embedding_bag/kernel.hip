// Weighted embedding bag: one block per bag, one thread per column, the bag's rows in order.
#include "operator.h"

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
embedding_bag_kernel(const scalar_t* table, const int32_t* indices, const int32_t* offsets, const scalar_t* weights,
                     scalar_t* out, int64_t dim) {
  const int64_t bag = blockIdx.x;
  const int begin = offsets[bag], end = offsets[bag + 1];
  for (int64_t d = threadIdx.x; d < dim; d += kThreads) {
    float sum = 0.f;
    for (int i = begin; i < end; ++i) sum += to_float(weights[i]) * to_float(table[indices[i] * dim + d]);
    out[bag * dim + d] = from_float<scalar_t>(sum);
  }
}

extern "C" void launch(const scalar_t* table, const int32_t* indices, const int32_t* offsets, const scalar_t* weights,
                       scalar_t* out, int64_t entries, int64_t dim, int64_t bags, int64_t total, hipStream_t stream) {
  embedding_bag_kernel<<<dim3(bags), dim3(kThreads), 0, stream>>>(table, indices, offsets, weights, out, dim);
}
