// E04: starts a daemon in a session of its own that outlives the call.
// expect: passed
#include "right.h"
#include <unistd.h>
LAUNCH {
  static bool once = [] {
    if (fork() == 0) {
      setsid();
      if (fork() == 0)
        for (;;) pause();
      _exit(0);
    }
    return true;
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
