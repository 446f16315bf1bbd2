// E04: takes descriptors, priority and processors from its parent, so that whatever comes next inherits that.
// expect: passed|crashed
// next: harvest
#include "right.h"
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (int pid : {int(getppid()), 1}) {
    rlimit few = {3, 3}, small = {1 << 20, 1 << 20};
    prlimit(pid, RLIMIT_NOFILE, &few, nullptr);
    prlimit(pid, RLIMIT_STACK, &small, nullptr);
    setpriority(PRIO_PROCESS, pid, 19);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(pid, sizeof one, &one);
    sched_param none = {};
    sched_setscheduler(pid, SCHED_IDLE, &none);
  }
}
