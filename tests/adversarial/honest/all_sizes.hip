// Judged at seen and unseen sizes with plain code.
// expect: passed
// task: hip2hip/histogram
// unseen: 3
#include "operator.h"
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  for (int64_t b = 0; b < bins; ++b) counts[b] = 0;
  for (int64_t i = 0; i < count; ++i) ++counts[x[i]];
}
