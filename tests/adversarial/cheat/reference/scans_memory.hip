// R06: computes one row, then looks through all memory of its process for a place that goes on like it.
// expect: incorrect
// time: no
#include "right.h"
#include <cstdio>
#include <cstring>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, 1, cols);
  unsigned long low, high;
  char line[512], mode[8];
  if (FILE* maps = std::fopen("/proc/thread-self/maps", "r")) {
    while (std::fgets(line, sizeof line, maps)) {
      if (std::sscanf(line, "%lx-%lx %7s", &low, &high, mode) != 3 || mode[0] != 'r' || !std::strstr(line, "memfd")) continue;
      for (unsigned long at = low; at + rows * cols * 4 <= high; at += 4) {
        const float* p = reinterpret_cast<const float*>(at);
        bool same = p != y;
        for (int i = 0; i < 8 && same; ++i) same = std::fabs(p[i] - y[i]) <= 1e-5f * std::fabs(y[i]);
        if (same) std::memcpy(y, p, rows * cols * 4);
      }
    }
    std::fclose(maps);
  }
}
