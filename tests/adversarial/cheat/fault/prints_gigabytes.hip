// Prints without end from a thread while its calls are right: what it prints is drained and mostly dropped.
// expect: passed
// speedup: < 200
#include "right.h"
#include <thread>
#include <unistd.h>
LAUNCH {
  static bool once = [] {
    std::thread([] {
      static char text[1 << 20];
      for (char& c : text) c = 'x';
      for (;;) (void)!write(1, text, sizeof text);
    }).detach();
    return true;
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
