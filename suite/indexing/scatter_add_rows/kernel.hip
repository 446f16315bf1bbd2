// Scatter-add of rows: one thread per element, one atomic addition each.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
scatter_add_kernel(const float* source, const int32_t* index, float* out, int64_t elements, int64_t dim) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= elements) return;
  const int64_t row = i / dim, d = i % dim;
  atomicAdd(&out[index[row] * dim + d], source[i]);
}

extern "C" void launch(const float* source, const int32_t* index, float* out, int64_t rows, int64_t count, int64_t dim,
                       hipStream_t stream) {
  const int64_t elements = count * dim;
  scatter_add_kernel<<<dim3((elements + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(source, index, out,
                                                                                                elements, dim);
}
