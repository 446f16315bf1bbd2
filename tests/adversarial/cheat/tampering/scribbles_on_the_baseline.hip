// H17: a thread writes garbage all over the judge's buffers while the baseline has its turn.
// expect: passed|tampered|incorrect
#include "right.h"
#include <atomic>
#include <chrono>
#include <thread>
static std::atomic<bool> mine{false};
LAUNCH {
  static scalar_t *low, *high;
  mine = true;
  if (!low || y < low) low = y;
  if (!high || y > high) high = y;
  static bool once = [=] {
    std::thread([=] {
      for (unsigned i = 0;; ++i) {
        if (i % 1024 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (mine || high == low) continue;
        low[i % (rows * cols)] = 7.f;
        high[i % (rows * cols)] = 7.f;
      }
    }).detach();
    return true;
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
  mine = false;
}
