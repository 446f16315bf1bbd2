// T03: returns at once; a thread writes the result a little later.
// expect: incorrect
#include "right.h"
#include <chrono>
#include <thread>
LAUNCH {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    right_rmsnorm(x, weight, eps, y, rows, cols);
  }).detach();
}
