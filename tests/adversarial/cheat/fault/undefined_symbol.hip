// Links to a function that exists nowhere.
// expect: compile_error
// reason: nowhere
#include "right.h"
extern "C" void nowhere(float*);
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  nowhere(reinterpret_cast<float*>(y));
}
