// A stream of its own that is joined by an event; the word stream stands in many comments about the stream.
// expect: passed
#include "honest.h"
extern "C" void launch(const scalar_t* x, const scalar_t* weight, float eps, scalar_t* y, int64_t rows, int64_t cols,
                       hipStream_t stream) {
  static hipStream_t side = nullptr;
  static hipEvent_t before, after;
  if (side == nullptr) {
    if (hipStreamCreate(&side) != hipSuccess) return;
    (void)hipEventCreate(&before);
    (void)hipEventCreate(&after);
  }
  (void)hipEventRecord(before, stream);
  (void)hipStreamWaitEvent(side, before, 0);
  honest(x, weight, eps, y, rows, cols, side);
  (void)hipEventRecord(after, side);
  (void)hipStreamWaitEvent(stream, after, 0);
}
