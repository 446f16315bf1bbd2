// C16: the last block works on whole vectors, past the end of the row of the last row.
// expect: incorrect
// reason: guard band
#include "honest.h"
__global__ void tail(const scalar_t* x, scalar_t* y, int64_t count) {
  const int64_t i = blockIdx.x * 256 + threadIdx.x;
  y[i] = i < count ? y[i] : scalar_t(0);
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  honest(x, weight, eps, y, rows, cols, stream);
  tail<<<dim3((rows * cols + 255) / 256), dim3(256), 0, stream>>>(x, y, rows * cols);
}
