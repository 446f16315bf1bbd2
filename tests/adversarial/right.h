// Plain host code that is right, for programs whose point is something else.
#pragma once
#include "operator.h"
#include <cmath>

static inline void right_rmsnorm(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows,
                                 int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += double(to_float(x[r * cols + c])) * to_float(x[r * cols + c]);
    const double scale = 1.0 / std::sqrt(sum / cols + eps);
    for (int64_t c = 0; c < cols; ++c)
      y[r * cols + c] = from_float<scalar_t>(float(to_float(x[r * cols + c]) * scale * to_float(weight[c])));
  }
}

// The entry point of rmsnorm; its stream is not needed by host code.
#define LAUNCH                                                                                                  \
  extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols, \
                         hipStream_t)
