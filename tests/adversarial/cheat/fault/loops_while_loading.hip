// A static constructor that never ends.
// expect: timeout
// load_s: 3
#include "right.h"
static struct Endless {
  Endless() {
    for (volatile int i = 0;; i = i + 1) {
    }
  }
} endless;
LAUNCH { right_rmsnorm(x, weight, eps, y, rows, cols); }
