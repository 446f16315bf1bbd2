// A call that never ends.
// expect: timeout
// call_s: 3
#include "right.h"
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (volatile int i = 0;; i = i + 1) {
  }
}
