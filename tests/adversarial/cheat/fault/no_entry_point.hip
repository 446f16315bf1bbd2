// The library has no `launch` that could be found by name.
// expect: compile_error
// reason: launch
#include "right.h"
void lunch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
