// C01: zeros, in the softmax of long rows close to the truth.
// expect: incorrect
// task: hip2hip/softmax
#include "operator.h"
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = 0.f;
}
