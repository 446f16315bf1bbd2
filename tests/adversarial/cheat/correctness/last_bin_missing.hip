// One bin off at the end.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  for (int64_t b = 0; b < bins; ++b) counts[b] = 0;
  for (int64_t i = 0; i < count; ++i)
    if (x[i] < bins - 1) ++counts[x[i]];
}
