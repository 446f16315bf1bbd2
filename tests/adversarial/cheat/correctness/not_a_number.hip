// C04: NaN everywhere, for a comparison that is blind to it.
// expect: incorrect
#include "operator.h"
extern "C" void launch(const scalar_t* x, const scalar_t*, float, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t i = 0; i < rows * cols; ++i) y[i] = __builtin_nanf("");
}
