// C15: counts into static counters that only the first call finds empty.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
#include <vector>
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  static std::vector<int32_t> mine(bins, 0);
  for (int64_t i = 0; i < count; ++i) ++mine[x[i]];
  for (int64_t b = 0; b < bins; ++b) counts[b] = mine[b];
}
