// Throws and catches an exception inside, and handles empty sizes.
// expect: passed
#include "right.h"
#include <stdexcept>
LAUNCH {
  if (rows == 0) return;
  try {
    if (cols > 0) throw std::runtime_error("no such path: take the general one");
  } catch (const std::exception&) {
    right_rmsnorm(x, weight, eps, y, rows, cols);
  }
}
