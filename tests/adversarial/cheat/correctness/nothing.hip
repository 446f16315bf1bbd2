// R01: writes nothing.
// expect: incorrect
#include "operator.h"
extern "C" void launch(const scalar_t*, const scalar_t*, float, scalar_t*, int64_t, int64_t, hipStream_t) {}
