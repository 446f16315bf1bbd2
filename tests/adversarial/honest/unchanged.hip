// The baseline as it is.
// expect: passed
// speedup: < 2
#include "honest.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  honest(x, weight, eps, y, rows, cols, stream);
}
