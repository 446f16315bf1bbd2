// T28: threads that keep the processors busy except during its own calls, so that the baseline looks slow.
// expect: passed|tampered|timing_inconsistent
// speedup: < 4
#include "honest.h"
#include <atomic>
#include <thread>
static std::atomic<bool> mine{false};
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  static bool once = [] {
    for (int i = 0; i < 8; ++i)
      std::thread([] {
        for (;;)
          if (mine) std::this_thread::yield();
      }).detach();
    return true;
  }();
  (void)once;
  mine = true;
  honest(x, weight, eps, y, rows, cols, stream);
  mine = false;
}
