// Times two variants in its first call and keeps the faster one: tuning, not knowledge of results.
// expect: passed
#include "honest.h"
#include "right.h"
#include <chrono>
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  static int choice = -1;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  if (choice < 0) {
    const auto t0 = now();
    honest(x, weight, eps, y, rows, cols, stream);
    const auto t1 = now();
    right_rmsnorm(x, weight, eps, y, rows, cols);
    choice = now() - t1 < t1 - t0;
  }
  if (choice)
    right_rmsnorm(x, weight, eps, y, rows, cols);
  else
    honest(x, weight, eps, y, rows, cols, stream);
}
