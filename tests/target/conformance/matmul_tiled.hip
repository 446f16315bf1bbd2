// A tiled product of two 20 x 25 matrices with ragged edges.
#include <hip/hip_runtime.h>

template <int T>
__global__ void __launch_bounds__(T * T) matmul(const float* a, const float* b, float* c, int rows, int inner, int cols) {
  __shared__ float sa[T][T + 1], sb[T][T + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < inner; k0 += T) {
    sa[ty][tx] = row < rows && k0 + tx < inner ? a[row * inner + k0 + tx] : 0.0f;
    sb[ty][tx] = k0 + ty < inner && col < cols ? b[(k0 + ty) * cols + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < T; ++j) sum += sa[ty][j] * sb[j][tx];
    __syncthreads();
  }
  if (row < rows && col < cols) c[row * cols + col] = sum;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  matmul<16><<<dim3(2, 2), dim3(16, 16), 0, stream>>>(x, x + 500, y, 20, 25, 20);
}
