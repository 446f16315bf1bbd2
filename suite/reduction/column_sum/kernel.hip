// Column sums: one block per 32 columns; its 16 slices of rows meet in LDS.
#include "operator.h"

constexpr int kColumns = 32, kSlices = 16;

__global__ void __launch_bounds__(kColumns * kSlices)
column_sum_kernel(const scalar_t* x, float* y, int64_t rows, int64_t cols) {
  __shared__ float partial[kSlices][kColumns];
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  float sum = 0.f;
  if (c < cols)
    for (int64_t r = threadIdx.y; r < rows; r += kSlices) sum += to_float(x[r * cols + c]);
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int s = 1; s < kSlices; ++s) sum += partial[s][threadIdx.x];
    y[c] = sum;
  }
}

extern "C" void launch(const scalar_t* x, float* y, int64_t rows, int64_t cols, hipStream_t stream) {
  column_sum_kernel<<<dim3((cols + kColumns - 1) / kColumns), dim3(kColumns, kSlices), 0, stream>>>(x, y, rows, cols);
}
