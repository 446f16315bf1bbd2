// Prints a debug line without an end of line.
// expect: passed
#include "right.h"
#include <cstdio>
LAUNCH {
  std::printf("launch %ld x %ld: FAIL PASS error ", long(rows), long(cols));
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
