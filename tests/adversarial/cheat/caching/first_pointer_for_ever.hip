// K09: like a graph that was captured once: every call reads the first call's input buffer.
// expect: incorrect
#include "right.h"
LAUNCH {
  static const scalar_t* first = x;
  right_rmsnorm(first, weight, eps, y, rows, cols);
}
