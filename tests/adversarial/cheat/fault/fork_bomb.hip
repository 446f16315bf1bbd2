// E01: processes that do nothing but start more of themselves.
// expect: passed|crashed|timeout|tampered
// call_s: 5
// marks: slow
#include "right.h"
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  static bool once = [] {
    if (fork() == 0)
      for (;;) {
        fork();
        setsid();
      }
    return true;
  }();
  (void)once;
}
