// Layer normalisation, backward: dx with one block per row, then dweight and dbias with one block per 32 columns.
#include "operator.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kSlices = 16;

__device__ float block_sum(float v) {
  __shared__ float partial[kThreads / 32];
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  __syncthreads();
  if (lane == 0) partial[wave] = v;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < kThreads / warpSize; ++w) sum += partial[w];
  return sum;
}

__global__ void __launch_bounds__(kThreads)
input_gradient_kernel(const scalar_t* dy, const scalar_t* x, const scalar_t* weight, const float* mean,
                      const float* rstd, scalar_t* dx, int64_t cols) {
  const int64_t base = blockIdx.x * cols;
  const float m = mean[blockIdx.x], r = rstd[blockIdx.x];
  float sum = 0.f, projection = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float g = to_float(dy[base + c]) * to_float(weight[c]);
    sum += g;
    projection += g * (to_float(x[base + c]) - m) * r;
  }
  sum = block_sum(sum) / cols;
  projection = block_sum(projection) / cols;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    const float g = to_float(dy[base + c]) * to_float(weight[c]);
    const float xhat = (to_float(x[base + c]) - m) * r;
    dx[base + c] = from_float<scalar_t>(r * (g - sum - xhat * projection));
  }
}

__global__ void __launch_bounds__(kColumns * kSlices)
parameter_gradient_kernel(const scalar_t* dy, const scalar_t* x, const float* mean, const float* rstd, float* dweight,
                          float* dbias, int64_t rows, int64_t cols) {
  __shared__ float weights[kSlices][kColumns];
  __shared__ float biases[kSlices][kColumns];
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  float dw = 0.f, db = 0.f;
  if (c < cols) {
    for (int64_t row = threadIdx.y; row < rows; row += kSlices) {
      const float g = to_float(dy[row * cols + c]);
      dw += g * (to_float(x[row * cols + c]) - mean[row]) * rstd[row];
      db += g;
    }
  }
  weights[threadIdx.y][threadIdx.x] = dw;
  biases[threadIdx.y][threadIdx.x] = db;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int s = 1; s < kSlices; ++s) {
      dw += weights[s][threadIdx.x];
      db += biases[s][threadIdx.x];
    }
    dweight[c] = dw;
    dbias[c] = db;
  }
}

extern "C" void launch(const scalar_t* dy, const scalar_t* x, const scalar_t* weight, const float* mean,
                       const float* rstd, scalar_t* dx, float* dweight, float* dbias, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  input_gradient_kernel<<<dim3(rows), dim3(kThreads), 0, stream>>>(dy, x, weight, mean, rstd, dx, cols);
  parameter_gradient_kernel<<<dim3((cols + kColumns - 1) / kColumns), dim3(kColumns, kSlices), 0, stream>>>(
      dy, x, mean, rstd, dweight, dbias, rows, cols);
}
