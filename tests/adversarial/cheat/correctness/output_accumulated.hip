// Adds to what lies in the output instead of clearing it first.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  for (int64_t i = 0; i < count; ++i) ++counts[x[i]];
}
