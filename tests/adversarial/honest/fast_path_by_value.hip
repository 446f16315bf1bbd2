// A fast path that looks at the values and is right for them.
// expect: passed
// task: hip2hip/softmax
#include "operator.h"
#include <cmath>
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    double top = x[r * cols], sum = 0;
    for (int64_t c = 0; c < cols; ++c) top = std::fmax(top, double(x[r * cols + c]));
    if (std::fabs(top) < 20) top = 0;  // no overflow possible, and so no need to subtract
    for (int64_t c = 0; c < cols; ++c) sum += std::exp(x[r * cols + c] - top);
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = float(std::exp(x[r * cols + c] - top) / sum);
  }
}
