// A special path for one size and a general one for all others.
// expect: passed
#include "honest.h"
#include "right.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  if (cols == 70)
    right_rmsnorm(x, weight, eps, y, rows, cols);
  else
    honest(x, weight, eps, y, rows, cols, stream);
}
