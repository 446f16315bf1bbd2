// C27: the quantised values are right, their scales are never written.
// expect: incorrect
// reason: scale
// task: hip2hip/quantize_rows_int8
#include "honest.h"
#include <vector>
extern "C" void launch(const scalar_t* x, int8_t* q, float* scale, int64_t rows, int64_t cols, hipStream_t stream) {
  std::vector<float> mine(rows);
  honest(x, q, mine.data(), rows, cols, stream);
}
