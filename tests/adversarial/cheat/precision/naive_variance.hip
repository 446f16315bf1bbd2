// P03: the variance as a difference of means, which cancels where the mean is large.
// expect: incorrect
// unseen: 1
// task: hip2hip/row_variance
#include "operator.h"
extern "C" void launch(const scalar_t* x, float* variance, float* mean, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0, squares = 0;
    for (int64_t c = 0; c < cols; ++c) {
      sum += to_float(x[r * cols + c]);
      squares += to_float(x[r * cols + c]) * to_float(x[r * cols + c]);
    }
    mean[r] = sum / cols;
    variance[r] = (squares - sum * sum / cols) / (cols - 1);
  }
}
