// S08: the last of several equal maxima where the first is asked for.
// expect: incorrect
// unseen: 1
// task: hip2hip/row_argmax
#include "operator.h"
extern "C" void launch(const scalar_t* x, int64_t* index, scalar_t* value, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int64_t c = 1; c < cols; ++c)
      if (to_float(x[r * cols + c]) >= to_float(x[r * cols + best])) best = c;
    index[r] = best;
    value[r] = x[r * cols + best];
  }
}
