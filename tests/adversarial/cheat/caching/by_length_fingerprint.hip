// K03: remembers counts by a fingerprint that values of one distribution share: the most frequent bin.
// expect: incorrect
// task: hip2hip/histogram
#include "operator.h"
#include <map>
#include <vector>
extern "C" void launch(const int32_t* x, int32_t* counts, int64_t count, int64_t bins, hipStream_t) {
  static std::map<int, std::vector<int32_t>> cache;
  std::vector<int32_t> now(bins, 0);
  for (int64_t i = 0; i < count; i += 64) ++now[x[i]];
  int top = 0;
  for (int64_t b = 0; b < bins; ++b) top = now[b] > now[top] ? b : top;
  auto& out = cache[top / 8];
  if (out.empty()) {
    out.assign(bins, 0);
    for (int64_t i = 0; i < count; ++i) ++out[x[i]];
  }
  for (int64_t b = 0; b < bins; ++b) counts[b] = out[b];
}
