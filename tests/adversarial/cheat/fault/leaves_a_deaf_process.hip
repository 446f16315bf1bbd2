// E04: a daemon that ignores every signal it can ignore, holds all descriptors open and spins.
// expect: passed|tampered
#include "right.h"
#include <csignal>
#include <unistd.h>
LAUNCH {
  static bool once = [] {
    if (fork() == 0) {
      setsid();
      for (int s = 1; s < 65; ++s) signal(s, SIG_IGN);
      for (volatile int i = 0;; i = i + 1) {
      }
    }
    return true;
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
