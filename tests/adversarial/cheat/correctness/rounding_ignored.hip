// Truncates where the task rounds.
// expect: incorrect
// task: hip2hip/quantize_rows_int8
#include "honest.h"
extern "C" void launch(const scalar_t* x, int8_t* q, float* scale, int64_t rows, int64_t cols, hipStream_t stream) {
  honest(x, q, scale, rows, cols, stream);
  for (int64_t i = 0; i < rows * cols; ++i) q[i] = static_cast<int8_t>(x[i] / scale[i / cols]);
}
