// P02: eight-bit values where the input looks tame, full precision elsewhere.
// expect: incorrect
#include "right.h"
#include <vector>
LAUNCH {
  std::vector<scalar_t> mine(x, x + rows * cols);
  float top = 0;
  for (float v : mine) top = std::fmax(top, std::fabs(v));
  if (top < 5.f)
    for (auto& v : mine) v = std::rint(v * 25.f) / 25.f;
  right_rmsnorm(mine.data(), weight, eps, y, rows, cols);
}
