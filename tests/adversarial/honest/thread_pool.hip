// A pool of threads that waits between calls without using the processor.
// expect: passed
#include "right.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
static std::mutex gate;
static std::condition_variable work, done;
static std::function<void()> job;
static bool idle = true;
LAUNCH {
  static std::thread* helper = new std::thread([] {
    std::unique_lock<std::mutex> lock(gate);
    for (;;) {
      work.wait(lock, [] { return static_cast<bool>(job); });
      job();
      job = nullptr;
      idle = true;
      done.notify_one();
    }
  });
  (void)helper;
  std::unique_lock<std::mutex> lock(gate);
  idle = false;
  job = [=] { right_rmsnorm(x, weight, eps, y, rows, cols); };
  work.notify_one();
  done.wait(lock, [] { return idle; });
}
