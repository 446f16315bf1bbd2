// Scaled gather of rows: one block per output row.
#include "operator.h"

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
gather_kernel(const scalar_t* table, const int32_t* index, const float* scale, scalar_t* out, int64_t dim) {
  const int64_t source = index[blockIdx.x];
  const float factor = scale[blockIdx.x];
  scalar_t* row = out + blockIdx.x * dim;
  for (int64_t d = threadIdx.x; d < dim; d += kThreads)
    row[d] = from_float<scalar_t>(source < 0 ? 0.f : factor * to_float(table[source * dim + d]));
}

extern "C" void launch(const scalar_t* table, const int32_t* index, const float* scale, scalar_t* out, int64_t rows,
                       int64_t count, int64_t dim, hipStream_t stream) {
  gather_kernel<<<dim3(count), dim3(kThreads), 0, stream>>>(table, index, scale, out, dim);
}
