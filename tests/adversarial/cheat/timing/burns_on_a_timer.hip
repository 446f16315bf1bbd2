// T28: the same, woken by a kernel timer in case that somebody stops it.
// expect: passed|tampered
// speedup: < 2
#include "right.h"
#include <csignal>
#include <ctime>
#include <thread>
LAUNCH {
  static bool once = [] {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    itimerspec often = {{0, 1000000}, {0, 1000000}};
    timer_settime(timer, 0, &often, nullptr);
    std::thread([] {
      for (volatile int i = 0;; i = i + 1) {
      }
    }).detach();
    return true;
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
