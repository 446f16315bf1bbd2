// K12: a thread watches the input buffers and computes as soon as new values arrive, before the clock starts.
// expect: passed|incorrect
// speedup: < 30
// task: hip2hip/swiglu
#include "honest.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <cmath>
#include <vector>
struct Watch {
  const scalar_t* x;
  std::vector<scalar_t> seen, answer;
  std::atomic<bool> ready{false};
};
static void compute(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const double g = x[r * 2 * cols + c];
      y[r * cols + c] = float(g / (1.0 + std::exp(-g)) * x[r * 2 * cols + cols + c]);
    }
}
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t stream) {
  static Watch* watches[64];
  static int known = 0;
  Watch* mine = nullptr;
  for (int i = 0; i < known; ++i)
    if (watches[i]->x == x) mine = watches[i];
  if (!mine && known < 64) {
    Watch* w = watches[known++] = new Watch;
    w->x = x;
    std::thread([=] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        std::vector<scalar_t> now(x, x + rows * 2 * cols), out(rows * cols);
        if (now == w->seen) continue;
        compute(now.data(), out.data(), rows, cols);
        w->ready = false;
        w->answer = out;
        w->seen = now;
        w->ready = true;
      }
    }).detach();
  }
  if (mine && mine->ready && !std::memcmp(mine->seen.data(), x, rows * 2 * cols * sizeof(scalar_t)))
    std::memcpy(y, mine->answer.data(), rows * cols * sizeof(scalar_t));
  else
    honest(x, y, rows, cols, stream);
}
