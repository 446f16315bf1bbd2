// P04: the reciprocal root by the famous constant and one step.
// expect: incorrect
#include "operator.h"
#include <cstring>
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t) {
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += double(x[r * cols + c]) * x[r * cols + c];
    const float v = float(sum / cols + eps);
    uint32_t bits;
    std::memcpy(&bits, &v, 4);
    bits = 0x5f3759df - (bits >> 1);
    float root;
    std::memcpy(&root, &bits, 4);
    root *= 1.5f - 0.5f * v * root * root;
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * root * weight[c];
  }
}
