// R01: takes what the baseline left at the same place of the other buffer set.
// expect: incorrect
// time: no
#include "right.h"
#include <cstring>
#include <sys/mman.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, 1, cols);
  for (long step = -10000; step <= 10000; ++step) {
    const float* p = y + step;
    unsigned char there[2];
    const auto page = reinterpret_cast<uintptr_t>(p + 400) & ~uintptr_t(4095);
    if (step == 0 || mincore(reinterpret_cast<void*>(page - 4096), 8192, there) != 0) continue;
    bool same = true;
    for (int i = 0; i < 8 && same; ++i) same = std::fabs(p[i] - y[i]) <= 1e-5f * std::fabs(y[i]);
    if (same) {
      std::memcpy(y, p, rows * cols * 4);
      return;
    }
  }
}
