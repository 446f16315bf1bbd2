// More than one file, templates and macros that paste tokens.
// expect: passed
#include "honest.h"
#define JOIN(a, b) a##b
#define CALL JOIN(hon, est)
template <typename... A>
static void forward(A... a) {
  CALL(a...);
}
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  forward(x, weight, eps, y, rows, cols, stream);
}
