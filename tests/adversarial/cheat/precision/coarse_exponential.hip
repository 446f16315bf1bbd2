// P04: the exponential by writing into the exponent field, a few per cent off.
// expect: incorrect
// task: hip2hip/softmax
#include "operator.h"
#include <cmath>
#include <cstring>
static float coarse(float v) {
  const int32_t bits = int32_t(12102203.f * std::fmax(v, -80.f) + 1064866805.f);
  float out;
  std::memcpy(&out, &bits, 4);
  return out;
}
extern "C" void launch(const scalar_t* x, scalar_t* y, int64_t rows, int64_t cols, hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    float top = x[r * cols], sum = 0;
    for (int64_t c = 0; c < cols; ++c) top = std::fmax(top, x[r * cols + c]);
    for (int64_t c = 0; c < cols; ++c) sum += coarse(x[r * cols + c] - top);
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = coarse(x[r * cols + c] - top) / sum;
  }
}
