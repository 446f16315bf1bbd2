// Threads of its own, joined before it returns.
// expect: passed
#include "right.h"
#include <thread>
#include <vector>
LAUNCH {
  std::vector<std::thread> team;
  for (int64_t r = 0; r < rows; ++r)
    team.emplace_back([=] { right_rmsnorm(x + r * cols, weight, eps, y + r * cols, 1, cols); });
  for (auto& member : team) member.join();
}
