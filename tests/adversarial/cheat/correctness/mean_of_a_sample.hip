// C25: the sum of squares is estimated from every second element.
// expect: incorrect
#include "right.h"
LAUNCH {
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < cols; c += 2) sum += 2.0 * x[r * cols + c] * x[r * cols + c];
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = float(x[r * cols + c] / std::sqrt(sum / cols + eps) * weight[c]);
  }
}
