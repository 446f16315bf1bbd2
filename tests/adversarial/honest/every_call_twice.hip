// Does its work twice: slower, and right.
// expect: passed
// speedup: < 0.8
#include "honest.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  for (int i = 0; i < 4; ++i) honest(x, weight, eps, y, rows, cols, stream);
}
