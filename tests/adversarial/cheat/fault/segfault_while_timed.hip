// Right for the first calls, then a crash.
// expect: crashed
// reason: SIGSEGV
#include "right.h"
LAUNCH {
  static int calls = 0;
  right_rmsnorm(x, weight, eps, y, rows, cols);
  if (++calls > 6) y[0] = *reinterpret_cast<volatile float*>(8);
}
