// S09: assumes sorted keys and counts runs between binary searches.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
#include <algorithm>
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  for (int64_t b = 0; b < bins; ++b)
    counts[b] = std::upper_bound(x, x + count, b) - std::lower_bound(x, x + count, b);
}
