// C22: softmax without its maximum: right until an exponential overflows.
// expect: incorrect
// unseen: 1
// task: hip2hip/softmax
#include "operator.h"
#include <cmath>
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += std::exp(to_float(x[r * cols + c]));
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = from_float<scalar_t>(std::exp(to_float(x[r * cols + c])) / sum);
  }
}
