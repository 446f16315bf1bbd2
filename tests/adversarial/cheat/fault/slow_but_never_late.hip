// Every call takes almost as long as a call may take: the gate's own deadline has to end it.
// expect: timeout
// call_s: 4
// gate_s: 5
#include "right.h"
#include <unistd.h>
LAUNCH {
  sleep(2);
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
