// T18: profiling timers and signals in its own process; they change nothing that is measured.
// expect: passed
#include "right.h"
#include <csignal>
#include <sys/time.h>
LAUNCH {
  signal(SIGALRM, SIG_IGN);
  itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
