// Keeps a tuning result in a temporary file of its own and removes it.
// expect: passed
#include "right.h"
#include <cstdio>
LAUNCH {
  if (FILE* f = std::tmpfile()) {
    std::fputs("block 256\n", f);
    std::fclose(f);
  }
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
