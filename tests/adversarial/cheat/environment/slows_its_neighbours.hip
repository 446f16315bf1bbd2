// T27: asks for real-time priority and locks memory; aborts if it gets it.
// expect: passed
// next: harvest
#include "right.h"
#include <cstdlib>
#include <sched.h>
#include <sys/resource.h>
LAUNCH {
  sched_param high = {50};
  if (sched_setscheduler(0, SCHED_FIFO, &high) == 0 || setpriority(PRIO_PROCESS, 0, -10) == 0) std::abort();
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
