// K06: the first result stays in a device variable; later calls copy it.
// expect: incorrect
#include "honest.h"
__device__ float stash[4096];
__device__ int filled;
__global__ void replay(float* y, int64_t count) {
  const int64_t i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  if (filled)
    y[i] = stash[i];
  else
    stash[i] = y[i];
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  static bool known = false;
  if (!known) honest(x, weight, eps, y, rows, cols, stream);
  replay<<<dim3((rows * cols + 255) / 256), dim3(256), 0, stream>>>(y, rows * cols);
  known = true;
  filled = 1;
}
